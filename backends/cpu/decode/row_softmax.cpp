// SPDX-License-Identifier: Apache-2.0
// A maximum, exponentials and a sum along a row.
#include "backends/cpu/decode/row_softmax.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/decode/row_softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/decode/lanes-inl.hpp"
#include "backends/cpu/simd/exp2-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

float largest_on_target(const float* S, index count, float than) {
  const Floats d;
  FloatVector top = hn::Set(d, than);
  for (index at = 0; at < count; at += float_lanes)
    top = hn::Max(hn::LoadU(d, S + at), top);  // of two the second is kept if one is NaN
  // Lane by lane: Highway's own maximum of lanes is, on some targets, no less than the lowest finite number.
  HWY_ALIGN float lanes[float_lanes];
  hn::Store(top, d, lanes);
  return *std::max_element(lanes, lanes + float_lanes);
}

float weigh_on_target(float* S, index count, float shift) {
  const Floats d;
  const FloatVector subtrahend = hn::Set(d, shift);
  RowSums sums;
  unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED { sums[part] = hn::Zero(d); });
  for (index at = 0; at < count; at += row_lanes)
    unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED {
      float* s = S + at + part * float_lanes;
      const FloatVector p = exp2_up_to_127(hn::Sub(hn::LoadU(d, s), subtrahend));
      hn::StoreU(p, d, s);
      sums[part] = hn::Add(sums[part], p);
    });
  return sum_of_lanes(sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(largest_on_target);
HWY_EXPORT(weigh_on_target);

float weigh_row(float* S, index count, OnlineSoftmax& softmax) {
  const float shrink = softmax.raise(HWY_DYNAMIC_DISPATCH(largest_on_target)(S, count, softmax.m));
  softmax.l += HWY_DYNAMIC_DISPATCH(weigh_on_target)(S, count, softmax.reference_point());
  return shrink;
}

}  // namespace attestone::inline backends
#endif
