// SPDX-License-Identifier: Apache-2.0
// Tensors of a call: elements by four indices and strides, as f32 whatever their format.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::fourth_batch {

using Int = std::int64_t;
using Floats = std::vector<float>;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kLog2e = 1.44269504088896341f;

enum class Kind { none, f32, f16, bf16 };

inline Kind kind_of(const attestone_tensor& t) {
  if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 32) return Kind::f32;
  if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 16) return Kind::f16;
  if (t.dtype.code == ATTESTONE_BFLOAT && t.dtype.bits == 16) return Kind::bf16;
  return Kind::none;
}

inline float as_kind(Kind kind, float x) {
  switch (kind) {
    case Kind::f16:
      return f16_rounded(x);
    case Kind::bf16:
      return bf16_rounded(x);
    default:
      return x;
  }
}

/// A tensor of up to four axes. Axes that it lacks have the stride 0.
struct Tensor {
  void* data = nullptr;
  Kind kind = Kind::none;
  Int stride[4] = {0, 0, 0, 0};
  Int extent[4] = {1, 1, 1, 1};

  Tensor() = default;
  explicit Tensor(const attestone_tensor& t) : data(t.data), kind(t.data ? kind_of(t) : Kind::none) {
    for (int axis = 0; t.data && axis < t.ndim && axis < 4; ++axis) {
      stride[axis] = t.strides[axis];
      extent[axis] = t.shape[axis];
    }
  }
  explicit operator bool() const { return data != nullptr; }

  Int offset(Int i, Int j = 0, Int k = 0, Int l = 0) const {
    return i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3];
  }
  float load(Int place) const {
    switch (kind) {
      case Kind::f16:
        return f16_value(static_cast<const std::uint16_t*>(data)[place]);
      case Kind::bf16:
        return bf16_value(static_cast<const std::uint16_t*>(data)[place]);
      default:
        return static_cast<const float*>(data)[place];
    }
  }
  void store(Int place, float x) const {
    switch (kind) {
      case Kind::f16:
        static_cast<std::uint16_t*>(data)[place] = f16_bits(x);
        break;
      case Kind::bf16:
        static_cast<std::uint16_t*>(data)[place] = bf16_bits(x);
        break;
      default:
        static_cast<float*>(data)[place] = x;
    }
  }
  void load_row(float* to, Int from, Int count) const {
    for (Int c = 0; c < count; ++c) to[c] = load(from + c * stride[3]);
  }
  void store_row(const float* from, Int to, Int count) const {
    for (Int c = 0; c < count; ++c) store(to + c * stride[3], from[c]);
  }
};

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }
inline Floats filled(Int count, float x = 0.0f) { return Floats(static_cast<std::size_t>(std::max<Int>(count, 0)), x); }
inline Int tiles_of(Int count, Int tile) { return (count + tile - 1) / tile; }
inline float product(const float* x, const float* y, Int count) {
  float sum = 0.0f;
  for (Int c = 0; c < count; ++c) sum += x[c] * y[c];
  return sum;
}
inline void add_scaled(float* to, float factor, const float* x, Int count) {
  for (Int c = 0; c < count; ++c) to[c] += factor * x[c];
}

}  // namespace attestone::inline mutants::fourth_batch
