// SPDX-License-Identifier: Apache-2.0
// Rounding in integers, shuffling two by two, and transposing eight by eight.
#include "backends/cpu/simd/bfloat16_pairs.hpp"

#include <algorithm>

#include "backends/cpu/simd/bfloat16_instructions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/bfloat16_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

using Words = hn::RebindToUnsigned<Floats>;

/// The nearest bf16 in the upper half of each word; NaN stays NaN, and what is subnormal becomes 0.
HWY_INLINE hn::Vec<Words> rounded(FloatVector x) {
  const Floats d;
  const Words words;
  const auto bits = hn::BitCast(words, x);
  const auto to_even = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1u));
  const auto nearest = hn::Add(hn::Add(bits, hn::Set(words, 0x7FFFu)), to_even);
  const auto sign = hn::And(bits, hn::Set(words, 0x80000000u));
  const auto quiet = hn::Or(bits, hn::Set(words, 0x00400000u));
  const auto subnormal = hn::RebindMask(words, hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-126f)));
  const auto is_number = hn::RebindMask(words, hn::Eq(x, x));
  return hn::IfThenElse(is_number, hn::IfThenElse(subnormal, sign, nearest), quiet);
}

void pair_rows_on_target(const float* panel, index rows, std::uint32_t* pairs) {
  const Floats d;
  const Words words;
  const auto upper_half = hn::Set(words, 0xFFFF0000u);
  for (index row = 0; row < rows; row += 2, pairs += panel_queries)
    for (index at = 0; at < panel_queries; at += float_lanes) {
      const float* from = panel + row * panel_queries + at;
      const auto first = hn::ShiftRight<16>(rounded(hn::Load(d, from)));
      const auto second =
          row + 1 < rows ? hn::And(rounded(hn::Load(d, from + panel_queries)), upper_half) : hn::Zero(words);
      hn::StoreU(hn::Or(first, second), words, pairs + at);
    }
}

#if HWY_TARGET == HWY_SCALAR
constexpr index block = 1, group = 1;
HWY_INLINE void transpose_block(Bfloat16Rows rows, std::uint16_t* to, index) { *to = *rows[0]; }
#else
constexpr index block = 8;
using Codes = hn::CappedTag<std::uint16_t, 4 * block>;
constexpr index group = static_cast<index>(hn::MaxLanes(Codes()));  ///< rows whose codes fill a vector

/// Eight codes of each of some rows that are eight apart, so that transposing eight by eight brings all together.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, Bfloat16Rows rows) {
  if constexpr (hn::MaxLanes(d) == block) {
    return hn::LoadU(d, rows.data);
  } else {
    const hn::Half<D> half;
    constexpr index lower = static_cast<index>(hn::MaxLanes(half));
    return hn::Combine(d, load_blocks(half, rows.from(lower)), load_blocks(half, rows));
  }
}

/// Two vectors, block by block shuffled like cards.
struct Interleaved {
  HWY_INLINE Interleaved(hn::Vec<Codes> a, hn::Vec<Codes> b)
      : lower(hn::InterleaveLower(Codes(), a, b)), upper(hn::InterleaveUpper(Codes(), a, b)) {}
  hn::Vec<Codes> lower, upper;
};

/// Four channels, of which a to d hold those of rows 0 and 4, 1 and 5, 2 and 6, 3 and 7.
HWY_INLINE void store_channels(hn::Vec<Codes> a, hn::Vec<Codes> b, hn::Vec<Codes> c, hn::Vec<Codes> d,
                               std::uint16_t* to, index stride) {
  const Interleaved even(a, c), odd(b, d);
  const Interleaved first(even.lower, odd.lower), second(even.upper, odd.upper);
  hn::StoreU(first.lower, Codes(), to);
  hn::StoreU(first.upper, Codes(), to + stride);
  hn::StoreU(second.lower, Codes(), to + 2 * stride);
  hn::StoreU(second.upper, Codes(), to + 3 * stride);
}

/// Eight channels of a group of rows.
HWY_INLINE void transpose_block(Bfloat16Rows rows, std::uint16_t* to, index stride) {
  const Codes codes;
  const auto two = [&](index row) ATTESTONE_INLINED {
    return Interleaved(load_blocks(codes, rows.from(row)), load_blocks(codes, rows.from(row + 4)));
  };
  const Interleaved a = two(0), b = two(1), c = two(2), d = two(3);
  store_channels(a.lower, b.lower, c.lower, d.lower, to, stride);
  store_channels(a.upper, b.upper, c.upper, d.upper, to + 4 * stride, stride);
}
#endif

void transpose_codes_on_target(Bfloat16Rows rows, index count, index channels, std::uint16_t* to, index stride) {
  const index whole_rows = count / group * group, whole_channels = channels / block * block;
  for (index row = 0; row < whole_rows; row += group)
    for (index c = 0; c < whole_channels; c += block)
      transpose_block({rows[row] + c, rows.stride}, to + c * stride + row, stride);
  for (index c = 0; c < channels; ++c) {
    for (index row = c < whole_channels ? whole_rows : 0; row < count; ++row) to[c * stride + row] = rows[row][c];
    std::fill(to + c * stride + count, to + (c + 1) * stride, std::uint16_t{0});
  }
}

/// Two rows; null stands for one of zeros.
void shuffle_two(const std::uint16_t* first, const std::uint16_t* second, index channels, std::uint16_t* to) {
  const hn::ScalableTag<std::uint16_t> codes;
  constexpr auto lanes = static_cast<index>(hn::MaxLanes(codes));
  index c = 0;
  if (second)
    for (; c + lanes <= channels; c += lanes)
      hn::StoreInterleaved2(hn::LoadU(codes, first + c), hn::LoadU(codes, second + c), codes, to + 2 * c);
  for (; c < channels; ++c) to[2 * c] = first[c], to[2 * c + 1] = second ? second[c] : std::uint16_t{0};
}

void shuffle_codes_on_target(Bfloat16Rows rows, index count, index channels, std::uint16_t* to) {
  for (index row = 0; row < count; row += 2, to += 2 * channels)
    shuffle_two(rows[row], row + 1 < count ? rows[row + 1] : nullptr, channels, to);
}

std::uint16_t largest_magnitude_on_target(const std::uint16_t* codes, index count) {
  std::uint16_t largest = 0;
  for (index at = 0; at < count; ++at)
    largest = std::max(largest, static_cast<std::uint16_t>(codes[at] & magnitude_bits));
  return largest;
}

void scale_scores_on_target(float* S, index keys, float factor, float* largest) {
  const Floats d;
  const FloatVector scale = hn::Set(d, factor);
  for (index at = 0; at < panel_queries; at += float_lanes) {
    FloatVector top = hn::Load(d, largest + at);
    for (index key = 0; key < keys; ++key) {
      float* s = S + key * panel_queries + at;
      const FloatVector scaled = hn::Mul(hn::Load(d, s), scale);
      hn::Store(scaled, d, s);
      top = hn::Max(scaled, top);  // of two the second is kept if one is NaN
    }
    hn::Store(top, d, largest + at);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(pair_rows_on_target);
HWY_EXPORT(transpose_codes_on_target);
HWY_EXPORT(shuffle_codes_on_target);
HWY_EXPORT(largest_magnitude_on_target);
HWY_EXPORT(scale_scores_on_target);

void pair_rows(const float* panel, index rows, std::uint32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(pair_rows_on_target)(panel, rows, pairs);
}

void panel_to_pairs(const float* panel, index rows, std::uint32_t* pairs) {
  (rows % 2 == 0 && has_instruction(PairProducts::dots) ? pair_rows_by_instruction : pair_rows)(panel, rows, pairs);
  const index there = (rows + 1) / 2, all = padded_products(rows) / 2;
  std::fill_n(pairs + there * panel_queries, (all - there) * panel_queries, 0u);
}

void transpose_codes(Bfloat16Rows rows, index count, index channels, std::uint16_t* to, index stride) {
  HWY_DYNAMIC_DISPATCH(transpose_codes_on_target)(rows, count, channels, to, stride);
}

void shuffle_codes(Bfloat16Rows rows, index count, index channels, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(shuffle_codes_on_target)(rows, count, channels, to);
}

std::uint16_t largest_magnitude(const std::uint16_t* codes, index count) {
  return HWY_DYNAMIC_DISPATCH(largest_magnitude_on_target)(codes, count);
}

void score_pairs(PairProducts how, Bfloat16Rows K, index keys, const std::uint32_t* pairs, index products, float factor,
                 float* S, float* largest) {
  set_pair_products(how, {K.data, K.stride, 2}, keys, pairs, products, S);
  HWY_DYNAMIC_DISPATCH(scale_scores_on_target)(S, keys, factor, largest);
}

}  // namespace attestone::inline backends
#endif
