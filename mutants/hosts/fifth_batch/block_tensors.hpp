// SPDX-License-Identifier: Apache-2.0
// Tensors of a call as the block program and the producer-consumer host see them: up to four axes with strides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::fifth_batch::blocks {

using Int = std::int64_t;
using Floats = std::vector<float>;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }
inline Int ceil_div(Int a, Int b) { return a <= 0 ? 0 : (a + b - 1) / b; }

enum class Format { f32, f16, bf16 };

inline Format format_of(const attestone_tensor& t) {
  if (t.dtype.code == ATTESTONE_BFLOAT && t.dtype.bits == 16) return Format::bf16;
  if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 16) return Format::f16;
  return Format::f32;
}

inline float rounded(float x, Format format) {
  switch (format) {
    case Format::f16:
      return f16_rounded(x);
    case Format::bf16:
      return bf16_rounded(x);
    default:
      return x;
  }
}

/// Offsets are in elements, 64 bits wide; axes that the tensor lacks have the extent 1.
struct View {
  void* data = nullptr;
  Format format = Format::f32;
  Int shape[4] = {1, 1, 1, 1}, stride[4] = {0, 0, 0, 0};

  View() = default;
  explicit View(const attestone_tensor& t) : data(t.data), format(format_of(t)) {
    for (int axis = 0; data && axis < t.ndim && axis < 4; ++axis) {
      shape[axis] = t.shape[axis];
      stride[axis] = t.strides[axis];
    }
  }
  explicit operator bool() const { return data != nullptr; }

  Int offset(Int i, Int j, Int k, Int l = 0) const {
    return i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3];
  }
  /// The place of the last element.
  Int last() const { return offset(shape[0] - 1, shape[1] - 1, shape[2] - 1, shape[3] - 1); }
  float get(Int place) const {
    switch (format) {
      case Format::f16:
        return f16_value(static_cast<const std::uint16_t*>(data)[place]);
      case Format::bf16:
        return bf16_value(static_cast<const std::uint16_t*>(data)[place]);
      default:
        return static_cast<const float*>(data)[place];
    }
  }
  void put(Int place, float x) const {
    switch (format) {
      case Format::f16:
        static_cast<std::uint16_t*>(data)[place] = f16_bits(x);
        break;
      case Format::bf16:
        static_cast<std::uint16_t*>(data)[place] = bf16_bits(x);
        break;
      default:
        static_cast<float*>(data)[place] = x;
    }
  }
};

}  // namespace attestone::inline mutants::fifth_batch::blocks
