// SPDX-License-Identifier: Apache-2.0
// Rows of numbers as all hosts of this room keep them, and tensors of a call.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::pipelines {

using reading::bf16_rounded;
using reading::f16_rounded;
using reading::Format;
using reading::Range;
using reading::Sequence;
using Index = reading::Int;
using Buffer = std::vector<float>;
inline constexpr float kInf = reading::infinity;
inline constexpr float kLog2e = 1.44269504088896341f;

inline float rounded_to(Format format, float x) { return reading::rounded(x, format); }

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

}  // namespace attestone::inline mutants::pipelines
