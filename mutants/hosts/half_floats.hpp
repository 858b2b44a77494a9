// SPDX-License-Identifier: Apache-2.0
// The two formats of 16 bits, as kernels behind the C door read and write them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace attestone::inline mutants {

inline float bf16_value(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t bf16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float f16_value(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, exponent = (bits >> 10) & 31u,
                      fraction = bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float subnormal = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -subnormal : subnormal;
}

/// Rounds to nearest, ties to even; what lies beyond the largest number becomes infinity, NaN stays NaN.
inline std::uint16_t f16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const float size = std::fabs(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (size < 0x1p-14f)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24f)));
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  return static_cast<std::uint16_t>(sign | (((magnitude + 0xfffu + ((magnitude >> 13) & 1u)) >> 13) - (112u << 10)));
}

inline float bf16_rounded(float x) { return bf16_value(bf16_bits(x)); }
inline float f16_rounded(float x) { return f16_value(f16_bits(x)); }

}  // namespace attestone::inline mutants
