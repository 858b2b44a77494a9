// SPDX-License-Identifier: Apache-2.0
// Views of a call's tensors for the row-panel and the split-KV host: elements by four indices and strides, as f32.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::fifth_batch {

using Int = std::int64_t;
using Floats = std::vector<float>;
inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }
inline Int steps_of(Int n, Int step) { return (n + step - 1) / step; }
inline Int round_up(Int n, Int step) { return steps_of(n, step) * step; }

enum class RowFormat { f32, f16, bf16 };

inline RowFormat row_format(std::string_view name) {
  return name == "f16" ? RowFormat::f16 : name == "bf16" ? RowFormat::bf16 : RowFormat::f32;
}

/// The value as the format holds it.
inline float rounded(float value, RowFormat format) {
  switch (format) {
    case RowFormat::f16:
      return f16_rounded(value);
    case RowFormat::bf16:
      return bf16_rounded(value);
    default:
      return value;
  }
}

/// A tensor of up to four axes in one of the three formats. Axes that it lacks have the stride 0.
class RowTensor {
 public:
  RowTensor() = default;
  RowTensor(const attestone_tensor& tensor, RowFormat format) : data_(tensor.data), format_(format) {
    for (int axis = 0; axis < tensor.ndim && axis < 4; ++axis) {
      extent_[axis] = tensor.shape[axis];
      stride_[axis] = tensor.strides[axis];
    }
  }

  explicit operator bool() const { return data_ != nullptr; }
  Int extent(int axis) const { return extent_[axis]; }
  Int stride(int axis) const { return stride_[axis]; }
  RowFormat format() const { return format_; }
  void set_stride(int axis, Int stride) { stride_[axis] = stride; }
  const void* data() const { return data_; }

  Int offset(Int b, Int h = 0, Int i = 0, Int c = 0) const {
    return b * stride_[0] + h * stride_[1] + i * stride_[2] + c * stride_[3];
  }
  float load(Int place) const {
    switch (format_) {
      case RowFormat::f16:
        return f16_value(static_cast<const std::uint16_t*>(data_)[place]);
      case RowFormat::bf16:
        return bf16_value(static_cast<const std::uint16_t*>(data_)[place]);
      default:
        return static_cast<const float*>(data_)[place];
    }
  }
  void store(Int place, float value) const {
    switch (format_) {
      case RowFormat::f16:
        static_cast<std::uint16_t*>(data_)[place] = f16_bits(value);
        break;
      case RowFormat::bf16:
        static_cast<std::uint16_t*>(data_)[place] = bf16_bits(value);
        break;
      default:
        static_cast<float*>(data_)[place] = value;
    }
  }
  float get(Int b, Int h = 0, Int i = 0, Int c = 0) const { return load(offset(b, h, i, c)); }
  void put(float value, Int b, Int h = 0, Int i = 0, Int c = 0) const { store(offset(b, h, i, c), value); }
  void load_row(float* to, Int from, Int count) const {
    for (Int c = 0; c < count; ++c) to[c] = load(from + c * stride_[3]);
  }

 private:
  void* data_ = nullptr;
  RowFormat format_ = RowFormat::f32;
  Int extent_[4] = {1, 1, 1, 1};
  Int stride_[4] = {0, 0, 0, 0};
};

}  // namespace attestone::inline mutants::fifth_batch
