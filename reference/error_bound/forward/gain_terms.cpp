// SPDX-License-Identifier: Apache-2.0
// What one row's roundings may do to the gain of the whole tensor.
#include <cmath>

#include "reference/error_bound/forward/exponents.hpp"
#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// For each key the largest effect of its weight's cast on <answer, truth>: u_P p (1 + tau) |<truth, v - r>|, r = o if
/// the cast is centred, else 0; relative to a denominator that may be smaller by sum p tau.
std::vector<double> ForwardRow::cast_effects(std::span<const double> truth) const {
  const double kept = 1 - total_weight_error();
  std::vector<double> effects(scores_.size());
  for (std::size_t j = 0; j < effects.size(); ++j) {
    double agreement = 0;
    for (std::size_t c = 0; c < truth.size(); ++c)
      agreement += truth[c] * (values_(j, c) - (numerics_.weight.denominator_sums_cast ? sums_.out[c] : 0));
    effects[j] = numerics_.weight.cast.roundoff * weights_.upper[j] * std::abs(agreement) / kept;
  }
  return effects;
}

GainTerms ForwardRow::gain_terms(std::span<const double> truth) const {
  GainTerms terms;
  terms.cast_roundoff = numerics_.weight.cast.roundoff;
  terms.output_roundoff = numerics_.output.cast.roundoff;
  // Parts, and unusual orders, shift the exponents of a row against those of others.
  const bool quadrature_applies = total_weight_error() < 1 && exponents().recur == 1;
  for (std::size_t c = 0; c < truth.size(); ++c) {
    const double size = std::abs(truth[c]), rounding = numerics_.output.cast.roundoff * size;
    const double cast = quadrature_applies ? numerics_.weight.cast.roundoff * cast_size(c) : 0;
    // Both are parts of the deterministic bound; what is left of it holds all other and all mixed terms.
    terms.others += size * (out(static_cast<index>(c)) - cast - rounding);
    terms.outputs.push_back({std::log(size), rounding * size});
  }
  if (numerics_.weight.cast.roundoff == 0 || !quadrature_applies) return terms;
  const std::vector<double> effects = cast_effects(truth);
  const double unit = numerics_.weight.normalised ? weights_.log_sum_exp : weights_.largest_score;
  for (const std::vector<double>& exponents : exponents().possible) {
    const bool single_maximum = terms.casts.empty();
    std::vector<Rounded> casts(effects.size());
    for (std::size_t j = 0; j < casts.size(); ++j)
      casts[j] = {single_maximum ? exponents[j] - unit : exponents[j], effects[j]};
    terms.casts.push_back(std::move(casts));
  }
  return terms;
}

}  // namespace attestone
