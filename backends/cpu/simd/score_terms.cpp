// SPDX-License-Identifier: Apache-2.0
// Plain loops that compilers turn into vectors of each target.
#include "backends/cpu/simd/score_terms.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/score_terms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

void add_biases_on_target(float* HWY_RESTRICT S, index count, const float* HWY_RESTRICT biases, double unit) {
  for (index i = 0; i < count; ++i) S[i] = static_cast<float>(double{S[i]} + double{biases[i]} * unit);
}

void add_distances_on_target(float* S, index keys, index distance, double slope) {
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    const auto far = static_cast<double>(distance + key);
    for (int i = 0; i < panel_queries; ++i) S[i] = static_cast<float>(double{S[i]} + slope * (far - i));
  }
}

void subtract_absolute_distances_on_target(float* S, index keys, index distance, double slope) {
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    const auto far = static_cast<double>(distance + key);
    for (int i = 0; i < panel_queries; ++i) S[i] = static_cast<float>(double{S[i]} - slope * std::fabs(far - i));
  }
}

void add_placed_distances_on_target(float* S, index keys, const PanelPositions& at, double slope) {
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    const auto far = static_cast<double>(at.keys[key]);
    for (int i = 0; i < panel_queries; ++i) S[i] = static_cast<float>(double{S[i]} + slope * (far - at.queries[i]));
  }
}

void subtract_placed_distances_on_target(float* S, index keys, const PanelPositions& at, double slope) {
  for (index key = 0; key < keys; ++key, S += panel_queries) {
    const auto far = static_cast<double>(at.keys[key]);
    for (int i = 0; i < panel_queries; ++i)
      S[i] = static_cast<float>(double{S[i]} - slope * std::fabs(far - at.queries[i]));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(add_biases_on_target);
HWY_EXPORT(add_distances_on_target);
HWY_EXPORT(subtract_absolute_distances_on_target);
HWY_EXPORT(add_placed_distances_on_target);
HWY_EXPORT(subtract_placed_distances_on_target);

void cap_scores(float* S, index count, float cap, float* slopes) {
  for (index i = 0; i < count; ++i) {
    const float tanh = std::tanh(S[i]);
    if (slopes) slopes[i] = 1 - tanh * tanh;
    S[i] = tanh * cap;
  }
}

void add_biases(float* S, index count, const float* biases, double unit) {
  HWY_DYNAMIC_DISPATCH(add_biases_on_target)(S, count, biases, unit);
}

void add_distances(float* S, index keys, index distance, double slope) {
  HWY_DYNAMIC_DISPATCH(add_distances_on_target)(S, keys, distance, slope);
}

void subtract_absolute_distances(float* S, index keys, index distance, double slope) {
  HWY_DYNAMIC_DISPATCH(subtract_absolute_distances_on_target)(S, keys, distance, slope);
}

void add_distances(float* S, index keys, const PanelPositions& at, double slope) {
  HWY_DYNAMIC_DISPATCH(add_placed_distances_on_target)(S, keys, at, slope);
}

void subtract_absolute_distances(float* S, index keys, const PanelPositions& at, double slope) {
  HWY_DYNAMIC_DISPATCH(subtract_placed_distances_on_target)(S, keys, at, slope);
}

}  // namespace attestone::inline backends
#endif
