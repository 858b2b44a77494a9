// SPDX-License-Identifier: Apache-2.0
// Reading rows of tensors as doubles, fast: formats of 8 and 16 bits by table, f32 and f64 by the hardware.
#pragma once

#include <span>

#include "reference/floating_point_environment.hpp"
#include "reference/tensor.hpp"

namespace attestone {

/// Decodes rows of one view; every decoded number is exact.
class RowReader {
 public:
  explicit RowReader(const ConstView& view);

  /// The elements of one row: view.extents()[3] of them; 0 in a row that does not exist (layout=ragged).
  void read(index batch, index head, index row, std::span<double> values) const;

 private:
  ConstView view_;
  std::span<const double> table_;  ///< the number of each code, for formats of at most 16 bits
};

}  // namespace attestone
