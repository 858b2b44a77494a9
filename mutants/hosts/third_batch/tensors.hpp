// SPDX-License-Identifier: Apache-2.0
// Tensors of a call as views: elements by strides, read and written as f32 in the three formats that all hosts take.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::third_batch {

using Index = std::int64_t;
using Buffer = std::vector<float>;
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kLog2e = 1.44269504088896341f;

enum class Format { f32, f16, bf16, other };

inline float rounded_to(Format format, float x) {
  return format == Format::bf16 ? bf16_rounded(x) : format == Format::f16 ? f16_rounded(x) : x;
}

/// One tensor. Absent tensors have no data.
struct View {
  void* data = nullptr;
  Format format = Format::other;
  int rank = 0;
  const Index* extent = nullptr;
  const Index* stride = nullptr;

  View() = default;
  explicit View(const attestone_tensor& t) : data(t.data), rank(t.ndim), extent(t.shape), stride(t.strides) {
    if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 32) format = Format::f32;
    if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 16) format = Format::f16;
    if (t.dtype.code == ATTESTONE_BFLOAT && t.dtype.bits == 16) format = Format::bf16;
  }
  explicit operator bool() const { return data != nullptr; }

  Index at(Index i, Index j = 0, Index k = 0, Index l = 0) const {
    const Index place[] = {i, j, k, l};
    Index sum = 0;
    for (int axis = 0; axis < rank; ++axis) sum += place[axis] * stride[axis];
    return sum;
  }
  float get(Index offset) const {
    if (format == Format::f32) return static_cast<const float*>(data)[offset];
    const std::uint16_t half = static_cast<const std::uint16_t*>(data)[offset];
    return format == Format::f16 ? f16_value(half) : bf16_value(half);
  }
  void put(Index offset, float x) const {
    if (format == Format::f32)
      static_cast<float*>(data)[offset] = x;
    else
      static_cast<std::uint16_t*>(data)[offset] = format == Format::f16 ? f16_bits(x) : bf16_bits(x);
  }
  void get_row(float* to, Index b, Index h, Index row, Index count) const {
    const Index from = at(b, h, row);
    for (Index c = 0; c < count; ++c) to[c] = get(from + c * stride[3]);
  }
  void put_row(const float* from, Index b, Index h, Index row, Index count) const {
    const Index to = at(b, h, row);
    for (Index c = 0; c < count; ++c) put(to + c * stride[3], from[c]);
  }
};

inline std::size_t place(Index i) { return static_cast<std::size_t>(i); }
inline Buffer floats(Index count, float x = 0.0f) { return Buffer(static_cast<std::size_t>(count), x); }
inline float dot(const float* x, const float* y, Index count) {
  float sum = 0.0f;
  for (Index c = 0; c < count; ++c) sum += x[c] * y[c];
  return sum;
}
inline void axpy(float* y, float factor, const float* x, Index count) {
  for (Index c = 0; c < count; ++c) y[c] += factor * x[c];
}
inline Index ceil_div(Index x, Index y) { return (x + y - 1) / y; }

}  // namespace attestone::inline mutants::third_batch
