// SPDX-License-Identifier: Apache-2.0
// Products of a matrix whose elements are broadcast with a panel, in blocks that stay in registers.
#include "backends/cpu/simd/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/product_block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

template <int rows>
HWY_NOINLINE void score_block(BroadcastMatrix K, index dim, const float* HWY_RESTRICT QT, float factor,
                              float* HWY_RESTRICT S, float* HWY_RESTRICT largest) {
  const Floats d;
  const FloatVector scale = hn::Set(d, factor);
  FloatVector left = hn::Load(d, largest), right = hn::Load(d, largest + float_lanes);
  product_block<rows>(K, QT, panel_queries, dim, [&](index row, FloatVector a, FloatVector b) ATTESTONE_INLINED {
    a = hn::Mul(a, scale), b = hn::Mul(b, scale);
    left = hn::Max(a, left), right = hn::Max(b, right);  // of two operands the second is kept if one is NaN
    hn::Store(a, d, S + row * panel_queries);
    hn::Store(b, d, S + row * panel_queries + float_lanes);
  });
  hn::Store(left, d, largest);
  hn::Store(right, d, largest + float_lanes);
}

/// out[rows][out_stride] += left[rows][steps] right[steps], two vectors wide.
template <int rows>
HWY_NOINLINE void add_block(BroadcastMatrix left, index steps, FloatMatrixRows right, float* HWY_RESTRICT out,
                            index out_stride) {
  const Floats d;
  product_block<rows>(left, right.data, right.stride, steps,
                      [&](index row, FloatVector a, FloatVector b) ATTESTONE_INLINED {
                        float* to = out + row * out_stride;
                        hn::Store(hn::Add(hn::Load(d, to), a), d, to);
                        hn::Store(hn::Add(hn::Load(d, to + float_lanes), b), d, to + float_lanes);
                      });
}

void score_keys_on_target(FloatMatrixRows K, index keys, index dim, const float* QT, float factor, float* S,
                          float* largest) {
  for_each_block(keys, [&]<int rows>(index first) ATTESTONE_INLINED {
    for (index at = 0; at < panel_queries; at += 2 * float_lanes)
      score_block<rows>({K[first], K.stride, 1}, dim, QT + at, factor, S + first * panel_queries + at, largest + at);
  });
}

void add_weighted_rows_on_target(FloatMatrixRows V, index keys, index channels, const float* P, float* OT) {
  for_each_block(channels, [&]<int rows>(index first) ATTESTONE_INLINED {
    for (index at = 0; at < panel_queries; at += 2 * float_lanes)
      add_block<rows>({V.data + first, 1, V.stride}, keys, {P + at, panel_queries}, OT + first * panel_queries + at,
                      panel_queries);
  });
}

void add_weights_times_rows_on_target(const float* P, index keys, FloatMatrixRows dO, index queries, index width,
                                      float* dV) {
  for_each_block(keys, [&]<int rows>(index first) ATTESTONE_INLINED {
    for (index at = 0; at < width; at += 2 * float_lanes)
      add_block<rows>({P + first * panel_queries, panel_queries, 1}, queries, {dO.data + at, dO.stride},
                      dV + first * width + at, width);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(score_keys_on_target);
HWY_EXPORT(add_weighted_rows_on_target);
HWY_EXPORT(add_weights_times_rows_on_target);

void score_keys(FloatMatrixRows K, index keys, index dim, const float* QT, float factor, float* S, float* largest) {
  HWY_DYNAMIC_DISPATCH(score_keys_on_target)(K, keys, dim, QT, factor, S, largest);
}

void add_weighted_rows(FloatMatrixRows V, index keys, index channels, const float* P, float* OT) {
  HWY_DYNAMIC_DISPATCH(add_weighted_rows_on_target)(V, keys, channels, P, OT);
}

void add_weights_times_rows(const float* P, index keys, FloatMatrixRows dO, index queries, index width, float* dV) {
  HWY_DYNAMIC_DISPATCH(add_weights_times_rows_on_target)(P, keys, dO, queries, width, dV);
}

}  // namespace attestone
#endif
