// SPDX-License-Identifier: Apache-2.0
// The one way in which a judge turns the codes of tensors into doubles, a row at a time.
#pragma once

#include <span>
#include <vector>

#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone {

/// Decodes rows of one view, wherever they lie and whatever scales they have: codes of at most 16 bits by a table, f32
/// and f64 by the hardware. Every number is exact, and the same as View::value().
class RowReader {
 public:
  explicit RowReader(const ConstView& view);

  /// The elements of one row: view.extents()[3] of them; 0 in a row that does not exist.
  void read(index batch, index head, index row, std::span<double> values) const;

 private:
  void decode(index batch, index head, index row, std::span<double> values) const;
  void multiply(index batch, index head, index row, std::span<double> values) const;

  ConstView view_;
  std::span<const double> table_;  ///< the number of each code, for formats of at most 16 bits
};

/// All elements in the order of their axes; 0 for rows that do not exist.
std::vector<double> packed_values(const ConstView&);

}  // namespace attestone
