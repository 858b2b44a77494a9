// SPDX-License-Identifier: Apache-2.0
// Weights in e4m3 and e2m1, without the vocabulary's DType.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace attestone::inline backends {

/// The nearest e4m3, ties to even, of a number that is not negative; 448 beyond it (cvt.rn.satfinite); NaN for NaN.
inline float rounded_to_e4m3(float x) {
  constexpr float largest = 448, smallest_normal = 0x1p-6f;
  // Numbers of [2^14, 2^15) are multiples of 2^-9, the smallest subnormal: adding 2^14 rounds to one of those.
  const float subnormal = (x + 0x1p14f) - 0x1p14f;
  constexpr int dropped = 20;  // trailing bits that f32 has and e4m3 has not
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = (bits >> dropped) & 1;
  const std::uint32_t kept = ~((std::uint32_t{1} << dropped) - 1);
  const float normal = std::bit_cast<float>((bits + ((1u << (dropped - 1)) - 1) + to_even) & kept);
  const float rounded = std::min(x < smallest_normal ? subnormal : normal, largest);
  return x == x ? rounded : x;
}

/// The nearest e2m1, ties to even, of a number that is not negative; 6 beyond it, and for NaN (cvt.rn.satfinite).
inline float rounded_to_e2m1(float x) {
  constexpr float largest = 6;
  // Numbers of [2^22, 2^23) are multiples of 1/2, and of 2, two binades higher, those of 2.
  const float room = x < 2 ? 0x1p22f : x < 4 ? 0x1p23f : 0x1p24f;
  const float rounded = (x + room) - room;
  return rounded < largest ? rounded : largest;
}

}  // namespace attestone::inline backends
