// SPDX-License-Identifier: Apache-2.0
// Transposing blocks of four by four in vectors of four.
#include "backends/cpu/simd/transpose.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/transpose.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<float, 4>;

/// to[j][i] = from[i][j] for four by four of them; on machines without vectors for one.
HWY_INLINE void transpose_block(const float* from, index from_stride, float* to, index to_stride) {
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(from_stride), static_cast<void>(to_stride);
  *to = *from;
#else
  const Four d;
  const hn::Repartition<double, Four> pairs;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_stride);
  const auto c = hn::LoadU(d, from + 2 * from_stride), e = hn::LoadU(d, from + 3 * from_stride);
  // Neighbours in a column become neighbours in a row, then pairs of them.
  const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_upper = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_upper, ce_upper)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_upper, ce_upper)), d, to + 3 * to_stride);
#endif
}

void transpose_on_target(const float* HWY_RESTRICT from, index from_stride, index rows, index columns,
                         float* HWY_RESTRICT to, index to_stride) {
  constexpr index block = static_cast<index>(hn::MaxLanes(Four()));
  const index whole_rows = rows / block * block, whole_columns = columns / block * block;
  for (index i = 0; i < whole_rows; i += block)
    for (index j = 0; j < whole_columns; j += block)
      transpose_block(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
  for (index i = 0; i < rows; ++i)
    for (index j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(transpose_on_target);

void rows_to_panel(FloatMatrixRows rows, index count, index channels, float* panel) {
  if (count < panel_queries) std::fill_n(panel, channels * panel_queries, 0.0f);
  HWY_DYNAMIC_DISPATCH(transpose_on_target)(rows.data, rows.stride, count, channels, panel, panel_queries);
}

void panel_to_rows(const float* panel, index channels, index count, float* rows, index stride) {
  HWY_DYNAMIC_DISPATCH(transpose_on_target)(panel, panel_queries, channels, count, rows, stride);
}

}  // namespace attestone
#endif
