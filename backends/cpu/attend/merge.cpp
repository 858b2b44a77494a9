// SPDX-License-Identifier: Apache-2.0
// Merging column by column. A part that saw no key of a query leaves its column alone.
#include "backends/cpu/attend/merge.hpp"

#include <cmath>
#include <limits>

namespace attestone::inline backends {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

void add(float* to, const float* from, index count) {
  for (index i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

void merge_rescaled(AttendState& all, AttendState& part) {
  for (index p = 0; p < all.panels(); ++p) {
    const AttendState::Panel a = all.panel(p), b = part.panel(p);
    alignas(allocation_alignment) float largest[panel_queries];
    for (index i = 0; i < panel_queries; ++i) largest[i] = std::fmax(a.m[i], b.m[i]);
    all.raise(p, largest);
    part.raise(p, largest);
  }
  merge_of_one_maximum(all, part);
}

void merge_of_one_maximum(AttendState& all, AttendState& part) {
  for (index p = 0; p < all.panels(); ++p) {
    const AttendState::Panel a = all.panel(p), b = part.panel(p);
    add(a.l, b.l, panel_queries);
    add(a.OT, b.OT, all.value_dim() * panel_queries);
  }
}

void merge_by_sigmoid(const PartAnswer& all, const PartAnswer& part, index value_dim) {
  for (index i = 0; i < panel_queries; ++i) {
    if (part.log_sum_exp[i] == nothing) continue;
    const double lead = all.log_sum_exp[i] - part.log_sum_exp[i];
    const auto sigmoid = static_cast<float>(1 / (1 + std::exp(lead)));
    for (index at = i; at < value_dim * panel_queries; at += panel_queries)
      all.out[at] -= sigmoid * (all.out[at] - part.out[at]);
    const double log_sigmoid = std::fmin(lead, 0) - std::log1p(std::exp(-std::abs(lead)));
    all.log_sum_exp[i] = all.log_sum_exp[i] == nothing ? part.log_sum_exp[i] : all.log_sum_exp[i] - log_sigmoid;
  }
}

double log_of_both(double a, double b) {
  if (a == nothing) return b;
  if (b == nothing) return a;
  return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

void correct_late(const PartAnswer& part, const double* log_sum_exp, index value_dim) {
  for (index i = 0; i < panel_queries; ++i) {
    const bool empty = part.log_sum_exp[i] == nothing;
    const auto weight = empty ? 0.0f : static_cast<float>(std::exp(part.log_sum_exp[i] - log_sum_exp[i]));
    for (index at = i; at < value_dim * panel_queries; at += panel_queries) part.out[at] *= weight;
  }
}

}  // namespace attestone::inline backends
