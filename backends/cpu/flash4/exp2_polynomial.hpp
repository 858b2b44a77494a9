// SPDX-License-Identifier: Apache-2.0
// 2^x by multiply-adds, which relieve the unit for exponentials (flash_attn/cute/utils.py, ex2_emulation).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace attestone::inline backends {

/// The error of exp2_polynomial, relative to 2^x, for x of [-126, 127]; 2^0 is 1.
constexpr double exp2_polynomial_error = 0x1.7p-14;
/// And below -126, absolutely.
constexpr double exp2_polynomial_underflow = 0x1p-126;

/// A polynomial of degree 3 of the fraction of x, whose exponent is the rest: for x of at most 127, and NaN. (Of NaN
/// the source makes 2^-127: it takes the larger one of x and -127, which of NaN and a number is the number.)
inline float exp2_polynomial(float x) {
  if (x != x) return x;
  constexpr float least = -127, integers = 0x1.8p23f;  // where neighbours are 1 apart
  const float clamped = std::max(x, least), whole = std::floor(clamped), fraction = clamped - whole;
  float power = 0.077119089663028717041015625f;
  power = std::fma(power, fraction, 0.227564394474029541015625f);
  power = std::fma(power, fraction, 0.695146143436431884765625f);
  power = std::fma(power, fraction, 1.0f);
  constexpr int fraction_bits = 23;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(whole + integers) << fraction_bits;
  return std::bit_cast<float>(exponent + std::bit_cast<std::uint32_t>(power));
}

}  // namespace attestone::inline backends
