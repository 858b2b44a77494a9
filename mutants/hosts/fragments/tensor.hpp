// SPDX-License-Identifier: Apache-2.0
// Rows of numbers as all hosts of this room keep them, and tensors of a call.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::fragments {

using reading::Format;
using reading::Range;
using reading::rounded;
using reading::Sequence;
using reading::Tensor;
using Int = reading::Int;
using Floats = std::vector<float>;
inline constexpr float kInfinity = reading::infinity;
inline constexpr float kLog2e = 1.44269504088896341f;

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

}  // namespace attestone::inline mutants::fragments
