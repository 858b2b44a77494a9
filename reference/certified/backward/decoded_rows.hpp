// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor as doubles, in the order in which the blocks of the backward pass read them.
#pragma once

#include <vector>

#include "reference/certified/forward/row_facts.hpp"
#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "reference/row_reader.hpp"

namespace attestone {

/// Some rows of Q, K, V or dO. NaN and infinities are held as 0. Rows are padded to whole words, columns to whole
/// vectors, with zeros. Any thread may decode any row, each of them once, and then conclude() groups of rows.
class DecodedRows {
 public:
  DecodedRows(index rows, index columns);

  void decode(const RowReader&, index batch, index head, index source_row, index row);
  /// Of the 64 rows from first_row on, after the last of them.
  void conclude(index first_row);

  const double* row(index r) const { return values_.get() + r * stride; }
  /// Of the four groups of the sixteen rows from r on: rows r, r + 4, r + 8 and r + 12; those after them; ...
  const double* group_peak(index r) const { return peaks_.get() + r / keys_per_group * stride; }

  index rows, columns, stride;     ///< rows and stride are padded
  std::vector<VectorFacts> facts;  ///< [rows]
  std::vector<char> special;       ///< [rows]: held NaN or an infinity

 private:
  AlignedDoubles values_;  ///< [rows][stride]
  AlignedDoubles peaks_;   ///< [rows / 4][stride]: the largest magnitude in each group of rows
};

}  // namespace attestone
