// SPDX-License-Identifier: Apache-2.0
// 2^x for x <= 0 in float, written so that a compiler vectorises loops over it.
#pragma once

#include <bit>
#include <cstdint>

namespace attestone::inline backends {

/// The error of `exp2_of_nonpositive`, relative to the exact power: checked for every float in
/// tests/backends/cpu/parts/float_functions_test.cpp.
constexpr double exp2_relative_error = 0x1p-23;

/// Below this the result is 0: subnormal weights are flushed.
constexpr float exp2_smallest_exponent = -126;

/// 2^x for x <= 0, -infinity included; NaN for NaN. At 0 it is exactly 1.
///
/// x = n + f with an integer n and |f| <= 1/2. 2^f is a polynomial of degree 6 (S. L. Moshier, Cephes Mathematical
/// Library, exp2f); 2^n is put together from its bits.
inline float exp2_of_nonpositive(float x) {
  constexpr float to_integer = 0x1.8p23f;  // adding it rounds to an integer, which then stands in the lowest bits
  const float shifted = x + to_integer;
  const float f = x - (shifted - to_integer);
  float power = 1.535336188319500e-4f;
  power = power * f + 1.339887440266574e-3f;
  power = power * f + 9.618437357674640e-3f;
  power = power * f + 5.550332471162809e-2f;
  power = power * f + 2.402264791363012e-1f;
  power = power * f + 6.931472028550421e-1f;
  power = power * f + 1.0f;
  constexpr std::uint32_t bias = 127;
  constexpr int trailing_bits = 23;
  const std::uint32_t n = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(to_integer);
  const float scale = std::bit_cast<float>((n + bias) << trailing_bits);
  return x < exp2_smallest_exponent ? 0.0f : power * scale;
}

}  // namespace attestone::inline backends
