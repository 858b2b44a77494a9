// SPDX-License-Identifier: Apache-2.0
// What the three hosts of the sixth batch have in common: narrow formats, elements of tensors, and who sees what.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"
#include "reference/shape.hpp"

namespace attestone::inline mutants::sixth_batch {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float ln2 = 0.693147181F;
inline constexpr double log2_e = 1.4426950408889634;
inline constexpr index max_dim = 128;

/// A narrow format: binary digits, exponent of its smallest step, largest number, and what becomes of larger ones.
struct NarrowFormat {
  int digits;
  int smallest_step;
  double largest;
  bool saturates;
};
inline constexpr NarrowFormat f16{11, -24, 65504.0, false};
inline constexpr NarrowFormat bf16{8, -133, 0x1.fep127, false};
inline constexpr NarrowFormat e4m3{4, -9, 448.0, true};

/// The nearest number of a format, ties to even.
inline double nearest(double x, const NarrowFormat& format) {
  if (x == 0 || std::isnan(x)) return x;
  if (std::isinf(x)) return format.saturates ? std::copysign(format.largest, x) : x;
  const int step = std::max(std::ilogb(x) - format.digits + 1, format.smallest_step);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
  if (std::fabs(rounded) <= format.largest) return rounded;
  return std::copysign(format.saturates ? format.largest : static_cast<double>(infinity), x);
}

inline float narrow(double x, const NarrowFormat& format) { return static_cast<float>(nearest(x, format)); }

/// An int8 as cvt.sat makes it of an integral f32: NaN becomes 0.
inline std::int8_t saturated_int8(float x) {
  return std::isnan(x) ? std::int8_t{0} : static_cast<std::int8_t>(std::clamp(x, -128.0F, 127.0F));
}

/// The larger size; NaN stays.
inline float larger_size(float largest, float x) {
  const float size = std::fabs(x);
  return std::isnan(size) || size > largest ? size : largest;
}

inline index ceil_div(index x, index y) { return (x + y - 1) / y; }

inline const NarrowFormat& format_of(const attestone_tensor& tensor) {
  return tensor.dtype.code == ATTESTONE_BFLOAT ? bf16 : f16;
}

inline index place(const attestone_tensor& t, index i, index j, index k, index l) {
  return i * t.strides[0] + j * t.strides[1] + k * t.strides[2] + l * t.strides[3];
}

inline float load(const attestone_tensor& t, index i, index j, index k, index l) {
  const std::uint16_t bits = static_cast<const std::uint16_t*>(t.data)[place(t, i, j, k, l)];
  return t.dtype.code == ATTESTONE_BFLOAT ? bf16_value(bits) : f16_value(bits);
}

/// Answers that nobody asks for have no data, and are not written.
inline void store_out(const attestone_args& a, index b, index h, index i, index c, float x) {
  const attestone_tensor& t = a.out;
  if (t.data == nullptr) return;
  static_cast<std::uint16_t*>(t.data)[place(t, b, h, i, c)] =
      t.dtype.code == ATTESTONE_BFLOAT ? bf16_bits(x) : f16_bits(x);
}

inline void store_log_sum_exp(const attestone_args& a, index b, index h, index i, float x) {
  const attestone_tensor& t = a.log_sum_exp;
  if (t.data != nullptr) static_cast<float*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2]] = x;
}

inline bool causal(const attestone_args& a) { return a.mask_form == ATTESTONE_MASK_BAND && a.causal != 0; }

/// How many keys query i sees: they are the first ones.
inline index keys_seen(const attestone_args& a, index i) { return causal(a) ? i + 1 : a.keys; }

inline index kv_head_of(const attestone_args& a, index h) { return h / (a.heads / a.kv_heads); }

}  // namespace attestone::inline mutants::sixth_batch
