// SPDX-License-Identifier: Apache-2.0
// Number formats of a call: f32, f16 and bf16 as tensors hold them, and the narrow formats that hosts round to.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/plugins/protocol/kernel.h"

namespace attestone::inline mutants::reading {

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

/// Rounds to nearest, ties to even; numbers beyond the largest one become infinity, NaN stays NaN.
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

/// How a tensor holds its elements.
enum class Format { f32, f16, bf16 };

inline Format format_of(const attestone_tensor& t) {
  if (t.dtype.bits != 16) return Format::f32;
  return t.dtype.code == ATTESTONE_BFLOAT ? Format::bf16 : Format::f16;
}

/// The element at `place`, counted in elements.
inline float load(const void* data, Format format, std::int64_t place) {
  if (format == Format::f32) return static_cast<const float*>(data)[place];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[place];
  return format == Format::f16 ? f16_value(bits) : bf16_value(bits);
}
inline void store(void* data, Format format, std::int64_t place, float x) {
  if (format == Format::f32)
    static_cast<float*>(data)[place] = x;
  else
    static_cast<std::uint16_t*>(data)[place] = format == Format::f16 ? f16_bits(x) : bf16_bits(x);
}

/// x as the format would hold it.
inline float rounded(float x, Format format) {
  return format == Format::f16 ? f16_rounded(x) : format == Format::bf16 ? bf16_rounded(x) : x;
}

/// A format by its binary digits, the exponent of its smallest step and its largest number. Numbers beyond the largest
/// become that number if the format saturates, otherwise infinity.
struct NarrowFormat {
  int digits;
  int smallest_step;
  double largest;
  bool saturates;
};
inline constexpr NarrowFormat f16{11, -24, 65504.0, false};
inline constexpr NarrowFormat bf16{8, -133, 0x1.fep127, false};
inline constexpr NarrowFormat e4m3{4, -9, 448.0, true};
inline constexpr NarrowFormat e2m1{2, -1, 6.0, true};

/// The nearest number of a format, ties to even.
inline double nearest(double x, const NarrowFormat& format) {
  if (x == 0 || std::isnan(x)) return x;
  if (std::isinf(x)) return format.saturates ? std::copysign(format.largest, x) : x;
  const int step = std::max(std::ilogb(x) - format.digits + 1, format.smallest_step);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
  if (std::fabs(rounded) <= format.largest) return rounded;
  return std::copysign(format.saturates ? format.largest : std::numeric_limits<double>::infinity(), x);
}
inline float narrow(double x, const NarrowFormat& format) { return static_cast<float>(nearest(x, format)); }

/// The narrow format of a tensor of 16 bits.
inline const NarrowFormat& narrow_format_of(const attestone_tensor& t) {
  return t.dtype.code == ATTESTONE_BFLOAT ? bf16 : f16;
}

}  // namespace attestone::inline mutants::reading
