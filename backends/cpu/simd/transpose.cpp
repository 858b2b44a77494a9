// SPDX-License-Identifier: Apache-2.0
// Transposing four columns at a time, in as many rows as a vector has lanes.
#include "backends/cpu/simd/transpose.hpp"

#include <algorithm>

#include "backends/cpu/simd/cache_lines.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/transpose.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {
using Four = hn::CappedTag<float, 4>;

#if HWY_TARGET == HWY_SCALAR

template <class Tag>
HWY_INLINE void transpose_block(Tag, const float* from, index, float* to, index) {
  *to = *from;
}

#else

/// Four neighbours of as many rows as a vector has blocks of 128 bits, one above the other.
template <class Tag>
HWY_INLINE hn::Vec<Tag> four_of_rows(Tag d, const float* from, index stride) {
  if constexpr (hn::MaxLanes(Tag()) <= 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<Tag> half;
    const index rows = static_cast<index>(hn::MaxLanes(half)) / 4;
    return hn::Combine(d, four_of_rows(half, from + rows * stride, stride), four_of_rows(half, from, stride));
  }
}

/// to[j][i] = from[i][j] for j < 4 and as many i as a vector has lanes.
template <class Tag>
HWY_INLINE void transpose_block(Tag d, const float* from, index from_stride, float* to, index to_stride) {
  // Each block of 128 bits holds four neighbours of one row, the next row is that of the next vector: transposed within
  // blocks, each vector holds one column.
  const hn::Repartition<double, Tag> pairs;
  const index step = 4 * from_stride;
  const auto a = four_of_rows(d, from, step), b = four_of_rows(d, from + from_stride, step);
  const auto c = four_of_rows(d, from + 2 * from_stride, step), e = four_of_rows(d, from + 3 * from_stride, step);
  const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_upper, ce_upper)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_upper, ce_upper)), d, to + 3 * to_stride);
}

#endif

/// Rows from `first` on, as many at once as a vector has lanes; returns the first row that is left.
template <class Tag>
HWY_INLINE index transpose_rows(Tag d, index first, const float* HWY_RESTRICT from, index from_stride, index rows,
                                index columns, float* HWY_RESTRICT to, index to_stride) {
  constexpr index tall = static_cast<index>(hn::MaxLanes(Tag())), wide = std::min<index>(tall, 4);
  for (; first + tall <= rows; first += tall) {
    index j = 0;
    for (; j + wide <= columns; j += wide)
      transpose_block(d, from + first * from_stride + j, from_stride, to + j * to_stride + first, to_stride);
    for (; j < columns; ++j)
      for (index i = first; i < first + tall; ++i) to[j * to_stride + i] = from[i * from_stride + j];
  }
  return first;
}

void transpose_on_target(const float* HWY_RESTRICT from, index from_stride, index rows, index columns,
                         float* HWY_RESTRICT to, index to_stride) {
  index first = transpose_rows(Floats(), 0, from, from_stride, rows, columns, to, to_stride);
  first = transpose_rows(Four(), first, from, from_stride, rows, columns, to, to_stride);
  for (index i = first; i < rows; ++i)
    for (index j = 0; j < columns; ++j) to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(transpose_on_target);

namespace {

/// Asks for all lines of some rows in the order in which they lie. Transposing comes for sixteen rows at a time, and
/// would wait for each.
void ask_for_rows(const float* rows, index stride, index count, index channels) {
  const index bytes = channels * static_cast<index>(sizeof(float));
  for (index i = 0; i < count; ++i)
    fetch_row<Cache::first>(reinterpret_cast<const std::byte*>(rows + i * stride), bytes);
}

}  // namespace

void rows_to_panel(FloatMatrixRows rows, index count, index channels, float* panel) {
  ask_for_rows(rows.data, rows.stride, count, channels);
  if (count < panel_queries) std::fill_n(panel, channels * panel_queries, 0.0f);
  HWY_DYNAMIC_DISPATCH(transpose_on_target)(rows.data, rows.stride, count, channels, panel, panel_queries);
}

void panel_to_rows(const float* panel, index channels, index count, float* rows, index stride) {
  ask_for_rows(rows, stride, count, channels);
  HWY_DYNAMIC_DISPATCH(transpose_on_target)(panel, panel_queries, channels, count, rows, stride);
}

}  // namespace attestone::inline backends
#endif
