// SPDX-License-Identifier: Apache-2.0
// Plain loops over lanes, which compilers turn into vectors of each target.
#include "backends/cpu/simd/gradients.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/gradients.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/simd/exp2-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// Sums run in so many lanes on every machine, and end in a fixed tree.
constexpr index lanes_of_sums = 16;
constexpr int vectors_of_sums = static_cast<int>(lanes_of_sums / float_lanes);

void sums_of_products_on_target(FloatMatrixRows dO, FloatMatrixRows O, index queries, index channels, float* delta) {
  const Floats d;
  for (index query = 0; query < queries; ++query) {
    const float *a = dO[query], *b = O[query];
    FloatVector sum[vectors_of_sums];
    unrolled<vectors_of_sums>([&]<int i>() ATTESTONE_INLINED { sum[i] = hn::Zero(d); });
    index c = 0;
    for (; c + lanes_of_sums <= channels; c += lanes_of_sums)
      unrolled<vectors_of_sums>([&]<int i>() ATTESTONE_INLINED {
        const index at = c + i * float_lanes;
        sum[i] = hn::MulAdd(hn::LoadU(d, a + at), hn::LoadU(d, b + at), sum[i]);
      });
    alignas(64) float lane[lanes_of_sums];
    unrolled<vectors_of_sums>([&]<int i>() ATTESTONE_INLINED { hn::Store(sum[i], d, lane + i * float_lanes); });
    for (index k = 0; c < channels; ++c, ++k) lane[k] += a[c] * b[c];
    for (index half = lanes_of_sums / 2; half > 0; half /= 2)
      for (index k = 0; k < half; ++k) lane[k] += lane[k + half];
    delta[query] = lane[0];
  }
}

/// row[i] = 0 where the query i is not of the set.
HWY_INLINE void clear_others(QuerySet some, float* row) {
  if (some == ~QuerySet{0}) return;
  for (index i = 0; i < panel_queries; ++i) row[i] = some >> i & 1 ? row[i] : 0.0f;
}

void weights_on_target(float* S, index keys, const double* HWY_RESTRICT L, const QuerySet* seen) {
  const Floats d;
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    for (index i = 0; i < panel_queries; ++i) {
      const auto exponent = static_cast<float>(double{S[i]} - L[i]);
      S[i] = exponent > 0 ? 0.0f : exponent;
    }
    for (index at = 0; at < panel_queries; at += float_lanes) hn::Store(exp2_up_to_127(hn::Load(d, S + at)), d, S + at);
    clear_others(seen[key], S);
  }
}

void bias_gradients_on_target(const float* HWY_RESTRICT P, float* HWY_RESTRICT dP, index keys,
                              const float* HWY_RESTRICT delta, double factor, const QuerySet* seen) {
  for (index key = 0; key < keys; ++key, P += panel_queries, dP += panel_queries) {
    for (index i = 0; i < panel_queries; ++i)
      dP[i] = P[i] * static_cast<float>(double{dP[i]} * factor - double{delta[i]});
    clear_others(seen[key], dP);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(sums_of_products_on_target);
HWY_EXPORT(weights_on_target);
HWY_EXPORT(bias_gradients_on_target);

void sums_of_products(FloatMatrixRows dO, FloatMatrixRows O, index queries, index channels, float* delta) {
  HWY_DYNAMIC_DISPATCH(sums_of_products_on_target)(dO, O, queries, channels, delta);
}

void weights_from_log_sum_exp(float* S, index keys, const double* L, const QuerySet* seen) {
  HWY_DYNAMIC_DISPATCH(weights_on_target)(S, keys, L, seen);
}

void bias_gradients(const float* P, float* dP, index keys, const float* delta, double factor, const QuerySet* seen) {
  HWY_DYNAMIC_DISPATCH(bias_gradients_on_target)(P, dP, keys, delta, factor, seen);
}

void multiply_by_slopes(float* dB, const float* slopes, index keys, const QuerySet* seen) {
  for (index key = 0; key < keys; ++key)
    for (index i = 0; i < panel_queries; ++i) {
      float& element = dB[key * panel_queries + i];
      element = seen[key] >> i & 1 ? element * slopes[key * panel_queries + i] : 0.0f;
    }
}

}  // namespace attestone::inline backends
#endif
