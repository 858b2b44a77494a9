// SPDX-License-Identifier: Apache-2.0
// Rows of K or V where they lie, in any format that is read without being decoded before.
#pragma once

#include <cstddef>
#include <optional>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// Formats of two bytes become floats in a register.
enum class StoredFormat { f32, f16, bf16 };

/// Rows whose channels are neighbours, at equal distances.
struct KeyRows {
  StoredFormat format;
  const std::byte* data;
  index stride;  ///< bytes from a row to the next one

  const std::byte* operator[](index row) const { return data + row * stride; }
  KeyRows from(index row) const { return {format, data + row * stride, stride}; }
};

inline KeyRows key_rows(FloatMatrixRows rows) {
  return {StoredFormat::f32, reinterpret_cast<const std::byte*>(rows.data),
          rows.stride * static_cast<index>(sizeof *rows.data)};
}

/// Rows of `width` channels, if the tensor has as many, and if they lie so.
std::optional<KeyRows> key_rows_in_place(const ConstView&, index batch, index head, Interval rows, index width);

}  // namespace attestone::inline backends
