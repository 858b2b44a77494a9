// SPDX-License-Identifier: Apache-2.0
// Maxima, weights and sums run down the columns: no operation crosses lanes.
#include "backends/cpu/simd/softmax.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/exp2-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// So many keys are weighed side by side, and have sums of their own.
constexpr int keys_abreast = 4;

FloatVector lowest() { return hn::Set(Floats(), -std::numeric_limits<float>::infinity()); }

/// m, or 0 while every score was -infinity: then s - m is -infinity, and its power 0.
FloatVector reference_point(FloatVector m) { return hn::IfThenZeroElse(hn::Eq(m, lowest()), m); }

void hide_scores_on_target(float* S, index keys, const QuerySet* seen) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> bits;
  const auto lane_bits = hn::Shl(hn::Set(bits, 1u), hn::Iota(bits, 0));
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    if (seen[key] == ~QuerySet{0}) continue;
    for (index at = 0; at < panel_queries; at += float_lanes) {
      const auto own = hn::And(hn::Set(bits, seen[key] >> at), lane_bits);
      const auto sees = hn::RebindMask(d, hn::Ne(own, hn::Zero(bits)));
      hn::Store(hn::IfThenElse(sees, hn::Load(d, S + at), lowest()), d, S + at);
    }
  }
}

void raise_to_columns_on_target(const float* S, index keys, float* largest) {
  const Floats d;
  for (index at = 0; at < panel_queries; at += float_lanes) {
    FloatVector top = hn::Load(d, largest + at);
    for (index key = 0; key < keys; ++key)
      top = hn::Max(hn::Load(d, S + key * panel_queries + at), top);  // of two the second is kept if one is NaN
    hn::Store(top, d, largest + at);
  }
}

void raise_maxima_on_target(const float* largest, float* m, float* l, float* shrink) {
  const Floats d;
  for (index at = 0; at < panel_queries; at += float_lanes) {
    const FloatVector before = hn::Load(d, m + at), after = hn::Load(d, largest + at);
    const FloatVector power = exp2_up_to_127(hn::Sub(before, reference_point(after)));
    hn::Store(after, d, m + at);
    hn::Store(hn::Mul(hn::Load(d, l + at), power), d, l + at);
    hn::Store(power, d, shrink + at);
  }
}

bool changes_nothing(const float* shrink) {
  const Floats d;
  auto same = hn::FirstN(d, hn::Lanes(d));
  for (index at = 0; at < panel_queries; at += float_lanes)
    same = hn::And(same, hn::Eq(hn::Load(d, shrink + at), hn::Set(d, 1.0f)));
  return hn::AllTrue(d, same);
}

void shrink_columns_on_target(const float* shrink, index channels, float* OT) {
  const Floats d;
  if (changes_nothing(shrink)) return;
  for (index at = 0; at < panel_queries; at += float_lanes) {
    const FloatVector power = hn::Load(d, shrink + at);
    for (index c = 0; c < channels; ++c) {
      float* o = OT + c * panel_queries + at;
      hn::Store(hn::Mul(hn::Load(d, o), power), d, o);
    }
  }
}

void weigh_scores_on_target(float* S, index keys, const float* m, float* l) {
  const Floats d;
  for (index at = 0; at < panel_queries; at += float_lanes) {
    const FloatVector shift = reference_point(hn::Load(d, m + at));
    FloatVector sum[keys_abreast];
    unrolled<keys_abreast>([&]<int i>() ATTESTONE_INLINED { sum[i] = hn::Zero(d); });
    const auto weigh = [&](index key, FloatVector& total) ATTESTONE_INLINED {
      float* s = S + key * panel_queries + at;
      const FloatVector p = exp2_up_to_127(hn::Sub(hn::Load(d, s), shift));
      hn::Store(p, d, s);
      total = hn::Add(total, p);
    };
    index key = 0;
    for (; key + keys_abreast <= keys; key += keys_abreast)
      unrolled<keys_abreast>([&]<int i>() ATTESTONE_INLINED { weigh(key + i, sum[i]); });
    for (; key < keys; ++key) weigh(key, sum[0]);
    const FloatVector total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
    hn::Store(hn::Add(hn::Load(d, l + at), total), d, l + at);
  }
}

void divide_by_sums_on_target(float* OT, index channels, const float* l) {
  const Floats d;
  for (index at = 0; at < panel_queries; at += float_lanes) {
    const FloatVector sum = hn::Load(d, l + at);
    const auto empty = hn::Eq(sum, hn::Zero(d));
    for (index c = 0; c < channels; ++c) {
      float* o = OT + c * panel_queries + at;
      hn::Store(hn::IfThenZeroElse(empty, hn::Div(hn::Load(d, o), sum)), d, o);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(hide_scores_on_target);
HWY_EXPORT(raise_to_columns_on_target);
HWY_EXPORT(raise_maxima_on_target);
HWY_EXPORT(shrink_columns_on_target);
HWY_EXPORT(weigh_scores_on_target);
HWY_EXPORT(divide_by_sums_on_target);

void hide_scores(float* S, index keys, const QuerySet* seen) {
  HWY_DYNAMIC_DISPATCH(hide_scores_on_target)(S, keys, seen);
}

void raise_to_columns(const float* S, index keys, float* largest) {
  HWY_DYNAMIC_DISPATCH(raise_to_columns_on_target)(S, keys, largest);
}

void raise_maxima(const float* largest, float* m, float* l, float* shrink) {
  HWY_DYNAMIC_DISPATCH(raise_maxima_on_target)(largest, m, l, shrink);
}

void shrink_columns(const float* shrink, index channels, float* OT) {
  HWY_DYNAMIC_DISPATCH(shrink_columns_on_target)(shrink, channels, OT);
}

void weigh_scores(float* S, index keys, const float* m, float* l) {
  HWY_DYNAMIC_DISPATCH(weigh_scores_on_target)(S, keys, m, l);
}

void divide_by_sums(float* OT, index channels, const float* l) {
  HWY_DYNAMIC_DISPATCH(divide_by_sums_on_target)(OT, channels, l);
}

}  // namespace attestone::inline backends
#endif
