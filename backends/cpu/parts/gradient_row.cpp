// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of FlashAttention-2, lines 11 to 14, for one query.
#include "backends/cpu/parts/gradient_row.hpp"

#include <numbers>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/exp2.hpp"

namespace attestone::inline backends {

GradientRow::GradientRow(const Problem& problem, const Placement* placement)
    : dropped_(problem, placement), format_(problem.input) {}

void GradientRow::differentiate(const DifferentiatedRow& row, BiasGradient* dbias) const {
  const auto& [first, count, log_sum_exp, delta, seen, S, dP, slopes] = row;
  float *P = S, *dS = dP;  // each takes the other's place
  // Differences are formed in double, so that each has one rounding only. A weight is at most 1: if rounding has put
  // S above L, it is 1.
  const double L = double{log_sum_exp} * std::numbers::log2e, factor = dropped_.factor();
  for (index j = 0; j < count; ++j) {
    const auto exponent = static_cast<float>(double{S[j]} - L);
    P[j] = seen[j] ? exp2_of_nonpositive(exponent > 0 ? 0.0f : exponent) : 0.0f;
  }
  dropped_.clear(first, dP, count);
  for (index j = 0; j < count; ++j) {
    const auto x = static_cast<float>(double{dP[j]} * factor - double{delta});
    dS[j] = seen[j] ? P[j] * x : 0.0f;
  }
  if (dbias) dbias->add(first, count, dS);
  for (index j = 0; j < count; ++j) dS[j] = seen[j] ? dS[j] * slopes[j] : 0.0f;
  dropped_.clear(first, P, count);
  round_weights({P, static_cast<std::size_t>(count)}, format_);
  round_gradients({dS, static_cast<std::size_t>(count)}, format_);
}

}  // namespace attestone::inline backends
