// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor as doubles, in the order in which the blocks of the backward pass read them.
#pragma once

#include <span>
#include <vector>

#include "reference/certified/forward/row_facts.hpp"
#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {

/// Columns that lie together: what the blocks read at once, and a chunk of a dot product.
constexpr index columns_per_block = channels_per_chunk;

/// Some rows of Q, K, V or dO. NaN and infinities are held as 0. Rows are padded to whole words, columns to whole
/// blocks, with zeros. Any thread may decode any row, each of them once, and then conclude() groups of rows.
class DecodedRows {
 public:
  DecodedRows(index rows, index columns);

  void decode(const RowReader&, index batch, index head, index source_row, index row);
  /// Gathers the facts of the 64 rows from first_row on, after the last of them.
  void conclude(index first_row);

  /// The element, after it those in the next columns of its block, and so on in the next rows.
  const double* at(index r, index column) const {
    const index word = r / keys_per_word * keys_per_word;
    return values_.get() + word * stride + place(keys_per_word, r - word, column);
  }
  /// All of the 64 rows from r on.
  std::span<const double> word(index r) const { return {at(r, 0), static_cast<std::size_t>(keys_per_word * stride)}; }
  /// A copy of its columns.
  std::vector<double> row(index r) const;
  /// From a block of columns to the next.
  static constexpr index block_stride = keys_per_word * columns_per_block;
  /// The peaks of the four groups of the sixteen rows from r on: rows r, r + 4, r + 8 and r + 12; those after them; ...
  const double* group_peak(index r, index column) const {
    return peaks_.get() + place(rows / keys_per_group, r / keys_per_group, column);
  }

  index rows, columns, stride;     ///< rows and stride are padded
  std::vector<VectorFacts> facts;  ///< [rows]
  std::vector<char> special;       ///< [rows]: held NaN or an infinity

 private:
  static index place(index rows_of_block, index r, index column) {
    return (column / columns_per_block * rows_of_block + r) * columns_per_block + column % columns_per_block;
  }

  AlignedDoubles values_;  ///< [words][blocks][64][16]
  AlignedDoubles peaks_;   ///< [blocks][rows / 4][16]: the largest magnitude in each group of rows
};

}  // namespace attestone
