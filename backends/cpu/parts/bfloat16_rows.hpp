// SPDX-License-Identifier: Apache-2.0
// Rows of bf16 as they are stored: nothing is decoded.
#pragma once

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/bfloat16_products.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// Rows of one tensor of bf16, whatever its strides.
class StoredBfloat16Rows {
 public:
  explicit StoredBfloat16Rows(const ConstView&);

  /// Whole rows of `width` codes: where they lie, if they have as many and equal distances; else copied into `buffer`
  /// [rows][width], and filled up with zeros.
  Bfloat16Rows read(index batch, index head, Interval rows, index width, std::uint16_t* buffer) const;

 private:
  ConstView view_;
};

}  // namespace attestone::inline backends
