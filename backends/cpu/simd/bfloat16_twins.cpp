// SPDX-License-Identifier: Apache-2.0
// The results of vdpbf16ps and tdpbf16ps, bit by bit, from multiply-adds of floats: Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 2, as both are described there.
#include <array>
#include <cmath>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "backends/cpu/simd/codes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/bfloat16_twins.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ATTESTONE_SIMD_BFLOAT16_TWINS
#define ATTESTONE_SIMD_BFLOAT16_TWINS
namespace attestone::inline backends::twins {

/// One number of each column of a panel.
using Columns = std::array<float, panel_queries>;

/// Zero, if x is subnormal.
HWY_INLINE float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

HWY_INLINE float lower_half(std::uint32_t pair) { return flushed(decode_bf16(static_cast<std::uint16_t>(pair))); }
HWY_INLINE float upper_half(std::uint32_t pair) { return flushed(decode_bf16(static_cast<std::uint16_t>(pair >> 16))); }

/// a b + c, rounded once; zero, if it is below the normal range after it was rounded as if that had no end.
HWY_INLINE float flushed_multiply_add(float a, float b, float c) {
  const float sum = std::fma(a, b, c);
  // Products so small that they may be flushed have factors far from the largest ones.
  constexpr float up = 0x1p64f;
  const float as_if_normal = std::fma(a * up, b, c * up);
  return std::fabs(as_if_normal) < 0x1p-126f * up ? std::copysign(0.0f, sum) : sum;
}

}  // namespace attestone::inline backends::twins
#endif

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

using twins::Columns, twins::flushed, twins::flushed_multiply_add, twins::lower_half, twins::upper_half;

void multiply_as_dots_on_target(PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                                SumsBegin begin, float* out) {
  for (index row = 0; row < rows; ++row, out += panel_queries) {
    Columns sum{};
    for (index at = 0; at < products; at += 2) {
      const std::uint16_t* two = left[row] + at / 2 * left.pair_step;
      const float first = flushed(decode_bf16(two[0])), second = flushed(decode_bf16(two[1]));
      const std::uint32_t* pair = pairs + at / 2 * panel_queries;
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] =
            flushed_multiply_add(first, lower_half(pair[i]), flushed_multiply_add(second, upper_half(pair[i]), sum[i]));
    }
    for (std::size_t i = 0; i < sum.size(); ++i) out[i] = (begin == SumsBegin::with_out ? out[i] : 0) + sum[i];
  }
}

void multiply_as_tiles_on_target(PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                                 SumsBegin begin, float* out) {
  for (index row = 0; row < rows; ++row, out += panel_queries) {
    if (begin == SumsBegin::at_zero) std::fill_n(out, panel_queries, 0.0f);
    for (index done = 0; done < products; done += products_together) {
      Columns even{}, odd{};
      for (index at = done; at < done + products_together; at += 2) {
        const std::uint16_t* two = left[row] + at / 2 * left.pair_step;
        const float first = flushed(decode_bf16(two[0])), second = flushed(decode_bf16(two[1]));
        const std::uint32_t* pair = pairs + at / 2 * panel_queries;
        for (std::size_t i = 0; i < even.size(); ++i) {
          even[i] = flushed_multiply_add(first, lower_half(pair[i]), even[i]);
          odd[i] = flushed_multiply_add(second, upper_half(pair[i]), odd[i]);
        }
      }
      for (std::size_t i = 0; i < even.size(); ++i) out[i] = flushed(flushed(out[i]) + flushed(even[i] + odd[i]));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(multiply_as_dots_on_target);
HWY_EXPORT(multiply_as_tiles_on_target);

void multiply_as_dots(PairedCodes left, index rows, const std::uint32_t* pairs, index products, SumsBegin begin,
                      float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_as_dots_on_target)(left, rows, pairs, products, begin, out);
}

void multiply_as_tiles(PairedCodes left, index rows, const std::uint32_t* pairs, index products, SumsBegin begin,
                       float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_as_tiles_on_target)(left, rows, pairs, products, begin, out);
}

}  // namespace attestone::inline backends
#endif
