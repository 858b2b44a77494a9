// SPDX-License-Identifier: Apache-2.0
// The effect of one row's roundings on the gain of a tensor, or of a part of it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/error_bound/forward/exponents.hpp"
#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// For each key the largest effect of its weight's cast on <answer, direction>: that on the weight, times |<direction,
/// v - r>|, r = o if the cast is centred, else 0; relative to a denominator that may be smaller by sum p tau.
std::vector<double> ForwardRow::cast_effects(std::span<const double> direction) const {
  const double kept = 1 - total_weight_error();
  std::vector<double> effects = moved_by_casts();
  for (std::size_t j = 0; j < effects.size(); ++j) {
    double agreement = 0;
    for (std::size_t c = 0; c < direction.size(); ++c)
      if (direction[c] != 0)
        agreement += direction[c] * (values_(j, c) - (numerics_.weight.denominator_sums_cast ? sums_.out[c] : 0));
    effects[j] *= std::abs(agreement) / kept;
  }
  return effects;
}

/// By how much less wrong weights move <answer, direction> than they move all channels, each at its worst: a key has
/// one weight for all of them.
double ForwardRow::saved_by_projection(std::span<const double> direction) const {
  if (!(total_weight_error() <= convexity_helps_from) || !range_.largest.empty()) return 0;
  double apart = 0, projected = 0;
  for (std::size_t c = 0; c < direction.size(); ++c) apart += std::abs(direction[c]) * sums_.error[c];
  for (std::size_t j = 0; j < scores_.size(); ++j) {
    double agreement = 0;
    for (std::size_t c = 0; c < direction.size(); ++c)
      if (direction[c] != 0) agreement += direction[c] * (values_(j, c) - sums_.out[c]);
    projected += weights_.error[j] * std::abs(agreement);
  }
  return (apart - projected) / (1 - total_weight_error());
}

bool ForwardRow::lies_beside_grid() const {
  const double roundoff = std::max(numerics_.weight.cast.roundoff, numerics_.output.cast.roundoff);
  return std::ranges::any_of(weights_.share, [&](double p) { return 1 - p <= generic_from * roundoff; });
}

GainTerms ForwardRow::gain_terms(std::span<const double> direction) const {
  GainTerms terms;
  terms.cast_roundoff = numerics_.weight.cast.roundoff;
  terms.output_roundoff = numerics_.output.cast.roundoff;
  // Parts, and unusual orders, shift the exponents of a row against those of others.
  const bool quadrature_applies = total_weight_error() < 1 && exponents().recur == 1;
  for (std::size_t c = 0; c < direction.size(); ++c) {
    if (direction[c] == 0) continue;
    const double size = std::abs(direction[c]), answer = std::abs(sums_.out[c]);
    const double rounding = numerics_.output.cast.roundoff * answer;
    const double cast = quadrature_applies ? numerics_.weight.cast.roundoff * cast_size(c) : 0;
    // Both are parts of the deterministic bound; what is left of it holds all other and all mixed terms.
    terms.others += size * (out(static_cast<index>(c)) - cast - rounding);
    terms.outputs.push_back({std::log(answer), rounding * size});
  }
  terms.others -= saved_by_projection(direction);
  const bool beside_grid = lies_beside_grid();
  if (beside_grid)
    for (const Rounded& output : terms.outputs) terms.beside_grid += output.error;
  if (numerics_.weight.cast.roundoff == 0 || !quadrature_applies) {
    leave_what_truncates(terms);
    return terms;
  }
  const std::vector<double> effects = cast_effects(direction);
  if (beside_grid) terms.beside_grid += std::accumulate(effects.begin(), effects.end(), 0.0);
  const double unit = numerics_.weight.normalised ? weights_.log_sum_exp : weights_.largest_score;
  for (const std::vector<double>& exponents : exponents().possible) {
    const bool single_maximum = terms.casts.empty();
    std::vector<Rounded> casts(effects.size());
    for (std::size_t j = 0; j < casts.size(); ++j)
      casts[j] = {single_maximum ? exponents[j] - unit : exponents[j], effects[j]};
    terms.casts.push_back(std::move(casts));
  }
  leave_what_truncates(terms);
  return terms;
}

}  // namespace attestone
