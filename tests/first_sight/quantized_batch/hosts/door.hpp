// SPDX-License-Identifier: Apache-2.0
// What the three hosts have in common: narrow formats, elements of tensors, and what a library says of itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "backends/doors/call/kernel.h"

namespace door {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float ln2 = 0.693147181F;
inline constexpr double log2_e = 1.4426950408889634;
inline constexpr int64_t max_dim = 128;

/// A narrow format: binary digits, exponent of its smallest step, largest number, and what becomes of larger ones.
struct Format {
  int digits;
  int smallest_step;
  double largest;
  bool saturates;
};
inline constexpr Format f16{11, -24, 65504.0, false};
inline constexpr Format bf16{8, -133, 0x1.fep127, false};
inline constexpr Format e4m3{4, -9, 448.0, true};

/// The nearest number of a format, ties to even.
inline double nearest(double x, const Format& format) {
  if (x == 0 || std::isnan(x)) return x;
  if (std::isinf(x)) return format.saturates ? std::copysign(format.largest, x) : x;
  const int step = std::max(std::ilogb(x) - format.digits + 1, format.smallest_step);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
  if (std::fabs(rounded) <= format.largest) return rounded;
  return std::copysign(format.saturates ? format.largest : static_cast<double>(infinity), x);
}

inline float narrow(double x, const Format& format) { return static_cast<float>(nearest(x, format)); }

/// An int8 as cvt.sat makes it of an integral f32: NaN becomes 0.
inline int8_t saturated_int8(float x) {
  return std::isnan(x) ? int8_t{0} : static_cast<int8_t>(std::clamp(x, -128.0F, 127.0F));
}

/// The larger size; NaN stays.
inline float larger_size(float largest, float x) {
  const float size = std::fabs(x);
  return std::isnan(size) || size > largest ? size : largest;
}

inline int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

inline float from_f16(uint16_t bits) {
  const float size = std::bit_cast<float>(static_cast<uint32_t>(bits & 0x7fff) << 13) * 0x1p112F;
  if (size < 0x1p16F) return (bits & 0x8000) != 0 ? -size : size;
  if ((bits & 1023) != 0) return std::numeric_limits<float>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -infinity : infinity;
}

inline float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t to_f16(double x) {
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const double size = std::fabs(nearest(x, f16));
  if (std::isnan(size)) return 0x7e00;
  if (std::isinf(size)) return static_cast<uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14) return static_cast<uint16_t>(sign | static_cast<int>(std::ldexp(size, 24)));
  const int exponent = std::ilogb(size);
  return static_cast<uint16_t>(sign | ((exponent + 14) * 1024 + static_cast<int>(std::ldexp(size, 10 - exponent))));
}

inline uint16_t to_bf16(double x) {
  if (std::isnan(x)) return 0x7fc0;
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(narrow(x, bf16)) >> 16);
}

inline const Format& format_of(const attestone_tensor& tensor) {
  return tensor.dtype.code == ATTESTONE_BFLOAT ? bf16 : f16;
}

inline int64_t place(const attestone_tensor& t, int64_t i, int64_t j, int64_t k, int64_t l) {
  return i * t.strides[0] + j * t.strides[1] + k * t.strides[2] + l * t.strides[3];
}

inline float load(const attestone_tensor& t, int64_t i, int64_t j, int64_t k, int64_t l) {
  const uint16_t bits = static_cast<const uint16_t*>(t.data)[place(t, i, j, k, l)];
  return t.dtype.code == ATTESTONE_BFLOAT ? from_bf16(bits) : from_f16(bits);
}

/// Answers that nobody asks for have no data, and are not written.
inline void store_out(const attestone_args& a, int64_t b, int64_t h, int64_t i, int64_t c, float x) {
  const attestone_tensor& t = a.out;
  if (t.data == nullptr) return;
  static_cast<uint16_t*>(t.data)[place(t, b, h, i, c)] = t.dtype.code == ATTESTONE_BFLOAT ? to_bf16(x) : to_f16(x);
}

inline void store_log_sum_exp(const attestone_args& a, int64_t b, int64_t h, int64_t i, float x) {
  const attestone_tensor& t = a.log_sum_exp;
  if (t.data != nullptr) static_cast<float*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2]] = x;
}

inline bool causal(const attestone_args& a) { return a.mask_form == ATTESTONE_MASK_BAND && a.causal != 0; }

/// How many keys query i sees: they are the first ones.
inline int64_t keys_seen(const attestone_args& a, int64_t i) { return causal(a) ? i + 1 : a.keys; }

inline int64_t kv_head_of(const attestone_args& a, int64_t h) { return h / (a.heads / a.kv_heads); }

inline bool half_format(const attestone_tensor& t, const attestone_tensor& like) {
  return t.data == nullptr || (t.dtype.bits == 16 && t.dtype.code == like.dtype.code &&
                               (t.dtype.code == ATTESTONE_FLOAT || t.dtype.code == ATTESTONE_BFLOAT));
}

/// Why a problem is not taken, or nullptr.
inline const char* refusal(const attestone_args& a) {
  for (const attestone_tensor* t : {&a.query, &a.key, &a.value, &a.out})
    if (!half_format(*t, a.query)) return "only f16 or bf16, the same everywhere";
  if (a.dim > max_dim || a.value_dim != a.dim) return "only heads of up to 128 channels, the same of values";
  if (a.batch < 1 || a.heads < 1 || a.queries < 1 || a.keys < 1 || a.dim < 1) return "no empty extents";
  if (a.mask_form == ATTESTONE_MASK_BYTES) return "only full and causal masks";
  if (a.mask_form == ATTESTONE_MASK_BAND) {
    if (a.window_left >= 0 || (a.window_right >= 0 && a.causal == 0)) return "no windows";
    if (a.causal != 0 && a.queries != a.keys) return "causal masks need as many queries as keys";
  }
  if (a.softcap != 0 || a.dropout != 0) return "no softcap, no dropout";
  if (a.bias.data != nullptr || a.sink.data != nullptr || a.alibi_slopes.data != nullptr) return "no biases or sinks";
  if (a.query_lengths.data != nullptr || a.key_lengths.data != nullptr) return "no lengths";
  if (a.query_starts.data != nullptr || a.block_table.data != nullptr) return "no ragged batches or pages";
  if (a.size >= sizeof(attestone_args) &&
      (a.query_scales.data != nullptr || a.key_scales.data != nullptr || a.value_scales.data != nullptr))
    return "no inputs with scales";
  return nullptr;
}

inline int refuse(const attestone_args& a, const char* why) {
  if (a.message != nullptr && a.message_bytes > 0)
    std::snprintf(a.message, static_cast<size_t>(a.message_bytes), "%s", why);
  return ATTESTONE_REFUSED;
}

inline int describe(attestone_description& description, const char* name, const char* numerics) {
  description.name = name;
  description.numerics = numerics;
  description.limits =
      "dtypes=f16+bf16 layouts=bhsd+bshd+strided+broadcast+packed_qkv masks=full+band scores= dropout=no lengths=no "
      "zero_extents=no value_dim=no mixed_output=no max_dim=128";
  // Rows share scales and a mean with rows that they do not see.
  if (description.size >= sizeof(attestone_description)) description.conventions = "hidden_nonfinite=propagates";
  return ATTESTONE_OK;
}

}  // namespace door

/// The two functions of a library, of a class with `name`, `numerics` and `forward`.
#define DOOR_EXPORT(Kernel)                                              \
  int attestone_describe(attestone_description* description) {           \
    return door::describe(*description, Kernel::name, Kernel::numerics); \
  }                                                                      \
  int attestone_forward(const attestone_args* args) {                    \
    const char* why = door::refusal(*args);                              \
    if (why != nullptr) return door::refuse(*args, why);                 \
    Kernel().forward(*args);                                             \
    return ATTESTONE_OK;                                                 \
  }
