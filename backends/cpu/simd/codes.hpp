// SPDX-License-Identifier: Apache-2.0
// Storage formats without the vocabulary's DType, since kernel and judge share no codec; written so that compilers
// vectorise loops over them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attestone::inline backends {

inline float decode_f32(std::uint32_t code) { return std::bit_cast<float>(code); }

inline float decode_bf16(std::uint16_t code) { return std::bit_cast<float>(std::uint32_t{code} << 16); }

inline float decode_f16(std::uint16_t code) {
  const std::uint32_t sign = (code & 0x8000u) << 16;
  const std::uint32_t magnitude = (code & 0x7FFFu) << 13;  // exponent and significand where f32 has them
  if (magnitude >= 0x7C00u << 13) return std::bit_cast<float>(sign | 0x7F800000u | magnitude);  // infinity, NaN
  // The exponent is biased by 15, not 127; the product repairs that, for subnormals as well, and is exact.
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f));
}

/// The nearest bf16, ties to even.
inline float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = (bits >> 16) & 1;
  const float rounded = std::bit_cast<float>((bits + 0x7FFF + to_even) & 0xFFFF0000u);
  return x == x ? rounded : x;
}

/// The nearest f16, ties to even, of a weight: 0 <= x <= 1, so that nothing overflows.
inline float weight_rounded_to_f16(float x) {
  constexpr float smallest_normal = 0x1p-14f;
  // Numbers of [1/2, 1) are multiples of 2^-24, the smallest subnormal of f16: adding 1/2 rounds to one of those.
  const float subnormal = (x + 0.5f) - 0.5f;
  constexpr int dropped = 13;  // trailing bits that f32 has and f16 has not
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = (bits >> dropped) & 1;
  const std::uint32_t kept = ~((std::uint32_t{1} << dropped) - 1);
  const float normal = std::bit_cast<float>((bits + ((1u << (dropped - 1)) - 1) + to_even) & kept);
  const float rounded = x < smallest_normal ? subnormal : normal;
  return x == x ? rounded : x;
}

/// The nearest f16, ties to even; an infinity beyond the largest.
inline float rounded_to_f16(float x) {
  constexpr float first_infinite = 65520, infinity = std::numeric_limits<float>::infinity();
  const float magnitude = std::fabs(x);
  const float rounded = magnitude < first_infinite ? weight_rounded_to_f16(magnitude) : magnitude + infinity;
  return std::copysign(rounded, x);
}

/// x, shortened to the bits of a float: the last of them is set if anything was dropped, so that x and what comes of it
/// round to the same number of fewer bits (S. Boldo and G. Melquiond, "When double rounding is odd", IMACS 2005).
inline float rounded_to_odd(double x) {
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 29) - 1, last = dropped + 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return static_cast<float>(std::bit_cast<double>((bits & ~dropped) | ((bits & dropped) != 0 ? last : 0)));
}

inline std::uint32_t encode_f32(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

inline std::uint16_t encode_bf16(double x) {
  // Subnormal numbers would be rounded on the way: they are whole multiples of the smallest one.
  constexpr double smallest_normal = 0x1p-126, smallest = 0x1p-133;
  if (std::fabs(x) < smallest_normal) {
    const auto magnitude = static_cast<std::uint16_t>(std::nearbyint(std::fabs(x) / smallest));
    return static_cast<std::uint16_t>(std::signbit(x) ? 0x8000u | magnitude : magnitude);
  }
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded_to_bf16(rounded_to_odd(x))) >> 16);
}

/// Encodes a float: its bits are rounded as they are, subnormal ones too.
inline std::uint16_t encode_bf16_of(float x) {
  constexpr std::uint32_t quiet = 0x00400000;
  const auto bits = std::bit_cast<std::uint32_t>(rounded_to_bf16(x));
  return static_cast<std::uint16_t>((x == x ? bits : bits | quiet) >> 16);
}

inline std::uint16_t encode_f16(double x) {
  const float rounded = rounded_to_f16(rounded_to_odd(x));
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(rounded) >> 16 & 0x8000u;
  if (!std::isfinite(rounded)) return static_cast<std::uint16_t>(sign | (rounded == rounded ? 0x7C00u : 0x7E00u));
  // The product, as in decode_f16, moves the exponent, and is exact.
  const auto magnitude = std::bit_cast<std::uint32_t>(std::fabs(rounded) * 0x1p-112f);
  return static_cast<std::uint16_t>(sign | magnitude >> 13);
}

}  // namespace attestone::inline backends
