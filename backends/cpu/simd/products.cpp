// SPDX-License-Identifier: Apache-2.0
// Products of a matrix whose elements are broadcast with a panel, in blocks that stay in registers.
#include "backends/cpu/simd/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/product_block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

// A block takes pointers and numbers, never a struct: those are put together in vector registers, and then the first
// load of a block would wait for all products of the one before.

/// S[rows][32] = factor K QT, two vectors wide; `largest` follows.
template <int rows>
HWY_NOINLINE void score_block(const float* HWY_RESTRICT K, index stride, index dim, const float* HWY_RESTRICT QT,
                              float factor, float* HWY_RESTRICT S, float* HWY_RESTRICT largest) {
  const Floats d;
  const FloatVector scale = hn::Set(d, factor);
  FloatVector left = hn::Load(d, largest), right = hn::Load(d, largest + float_lanes);
  // One address per row would not fit the registers: the addresses of neighbours are one and two strides away.
  const float* third[(rows + 2) / 3];
  unrolled<(rows + 2) / 3>([&]<int i>() ATTESTONE_INLINED { third[i] = K + 3 * i * stride; });
  const auto element = [&](index row, index step) ATTESTONE_INLINED { return third[row / 3][row % 3 * stride + step]; };
  product_block<rows>(element, QT, panel_queries, dim, [&](index row, FloatVector a, FloatVector b) ATTESTONE_INLINED {
    a = hn::Mul(a, scale), b = hn::Mul(b, scale);
    left = hn::Max(a, left), right = hn::Max(b, right);  // of two operands the second is kept if one is NaN
    hn::Store(a, d, S + row * panel_queries);
    hn::Store(b, d, S + row * panel_queries + float_lanes);
  });
  hn::Store(left, d, largest);
  hn::Store(right, d, largest + float_lanes);
}

/// OT[rows][32] = shrink OT + V^T P, two vectors wide.
template <int rows>
HWY_NOINLINE void weighted_rows_block(const float* HWY_RESTRICT V, index stride, index keys,
                                      const float* HWY_RESTRICT P, const float* HWY_RESTRICT shrink,
                                      float* HWY_RESTRICT OT) {
  const Floats d;
  const FloatVector left = hn::Load(d, shrink), right = hn::Load(d, shrink + float_lanes);
  const auto element = [&](index row, index step) ATTESTONE_INLINED { return V[step * stride + row]; };
  product_block<rows>(element, P, panel_queries, keys, [&](index row, FloatVector a, FloatVector b) ATTESTONE_INLINED {
    float* to = OT + row * panel_queries;
    hn::Store(hn::MulAdd(hn::Load(d, to), left, a), d, to);
    hn::Store(hn::MulAdd(hn::Load(d, to + float_lanes), right, b), d, to + float_lanes);
  });
}

/// dV[rows][width] += P dO, two vectors wide.
template <int rows>
HWY_NOINLINE void weights_times_rows_block(const float* HWY_RESTRICT P, const float* HWY_RESTRICT dO, index stride,
                                           index queries, float* HWY_RESTRICT dV, index width) {
  const auto element = [&](index row, index step) ATTESTONE_INLINED { return P[row * panel_queries + step]; };
  product_block<rows>(element, dO, stride, queries, [&](index row, FloatVector a, FloatVector b) ATTESTONE_INLINED {
    const Floats d;
    float* to = dV + row * width;
    hn::Store(hn::Add(hn::Load(d, to), a), d, to);
    hn::Store(hn::Add(hn::Load(d, to + float_lanes), b), d, to + float_lanes);
  });
}

void score_keys_on_target(FloatMatrixRows K, index keys, index dim, const float* QT, float factor, float* S,
                          float* largest, const ComingRows& coming) {
  SharedFetch beside(coming, blocks_of(keys));
  for_each_block(keys, [&]<int rows>(index first) ATTESTONE_INLINED {
    beside.fetch_share();
    for (index at = 0; at < panel_queries; at += 2 * float_lanes)
      score_block<rows>(K[first], K.stride, dim, QT + at, factor, S + first * panel_queries + at, largest + at);
  });
}

void add_weighted_rows_on_target(FloatMatrixRows V, index keys, index channels, const float* P, const float* shrink,
                                 float* OT, const ComingRows& coming) {
  SharedFetch beside(coming, blocks_of(channels));
  for_each_block(channels, [&]<int rows>(index first) ATTESTONE_INLINED {
    beside.fetch_share();
    for (index at = 0; at < panel_queries; at += 2 * float_lanes)
      weighted_rows_block<rows>(V.data + first, V.stride, keys, P + at, shrink + at, OT + first * panel_queries + at);
  });
}

void add_weights_times_rows_on_target(const float* P, index keys, FloatMatrixRows dO, index queries, index width,
                                      float* dV) {
  for_each_block(keys, [&]<int rows>(index first) ATTESTONE_INLINED {
    for (index at = 0; at < width; at += 2 * float_lanes)
      weights_times_rows_block<rows>(P + first * panel_queries, dO.data + at, dO.stride, queries,
                                     dV + first * width + at, width);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(score_keys_on_target);
HWY_EXPORT(add_weighted_rows_on_target);
HWY_EXPORT(add_weights_times_rows_on_target);

void score_keys(FloatMatrixRows K, index keys, index dim, const float* QT, float factor, float* S, float* largest,
                const ComingRows& coming) {
  HWY_DYNAMIC_DISPATCH(score_keys_on_target)(K, keys, dim, QT, factor, S, largest, coming);
}

void add_weighted_rows(FloatMatrixRows V, index keys, index channels, const float* P, const float* shrink, float* OT,
                       const ComingRows& coming) {
  HWY_DYNAMIC_DISPATCH(add_weighted_rows_on_target)(V, keys, channels, P, shrink, OT, coming);
}

void add_weights_times_rows(const float* P, index keys, FloatMatrixRows dO, index queries, index width, float* dV) {
  HWY_DYNAMIC_DISPATCH(add_weights_times_rows_on_target)(P, keys, dO, queries, width, dV);
}

}  // namespace attestone::inline backends
#endif
