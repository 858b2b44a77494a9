// SPDX-License-Identifier: Apache-2.0
// The common parts of the three hosts of this room: int8 codes, elements of tensors, and who sees what.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::coded_blocks {

using reading::bf16;
using reading::e4m3;
using reading::f16;
using reading::infinity;
using reading::narrow;
using index = reading::Int;

inline constexpr float ln2 = 0.693147181F;
inline constexpr double log2_e = 1.4426950408889634;
inline constexpr index max_dim = 128;

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

inline const reading::NarrowFormat& format_of(const attestone_tensor& t) { return reading::narrow_format_of(t); }

inline float load(const attestone_tensor& t, index i, index j, index k, index l) {
  return reading::Tensor(t).get(i, j, k, l);
}

/// Answers that nobody asks for have no data, and are not written.
inline void store_out(const attestone_args& a, index b, index h, index i, index c, float x) {
  if (const reading::Tensor out(a.out); out) out.put(x, b, h, i, c);
}
inline void store_log_sum_exp(const attestone_args& a, index b, index h, index i, float x) {
  if (const reading::Tensor log_sum_exp(a.log_sum_exp); log_sum_exp) log_sum_exp.put(x, b, h, i);
}

inline bool causal(const attestone_args& a) { return reading::band_of(a).bounded_right(); }

/// How many keys query i sees: they are the first ones.
inline index keys_seen(const attestone_args& a, index i) { return reading::band_of(a).keys(i, a.keys).end; }

inline index kv_head_of(const attestone_args& a, index h) { return h / (a.heads / a.kv_heads); }

}  // namespace attestone::inline mutants::coded_blocks
