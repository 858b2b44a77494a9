// SPDX-License-Identifier: Apache-2.0
// The error of <dO, O>: less than that of its channels together, because they share weights and casts
// (docs/tolerance.md, "Delta").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/exponents.hpp"
#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// The cast numbers, s - m or s - L, with `effects`; none if a trend in the scores, or parts whose maxima differ, leave
/// more to consider.
std::vector<Rounded> ForwardRow::casts_of(std::span<const double> effects) const {
  const auto& orders = exponents().possible;
  if (orders.size() > 1 || exponents().recur > 1) return {};
  const double unit = numerics_.weight.normalised ? weights_.log_sum_exp : weights_.largest_score;
  std::vector<Rounded> casts(effects.size());
  for (std::size_t j = 0; j < casts.size(); ++j) casts[j] = {orders.front()[j] - unit, effects[j]};
  return casts;
}

double ForwardRow::windowed(std::span<const double> effects) const {
  double largest = 0;
  if (numerics_.weight.cast.roundoff == 0) return largest;
  for (const std::vector<double>& exponent : exponents().possible) {
    std::vector<Rounded> errors(effects.size());
    for (std::size_t j = 0; j < errors.size(); ++j) errors[rank()[j]] = {exponent[j], effects[j]};
    largest = std::max(largest,
                       windowed_quadrature(std::move(errors), 2 * numerics_.weight.cast.roundoff / windows_per_cell));
  }
  return largest * exponents().recur;
}

Projection ForwardRow::projection(std::span<const double> dout, std::span<const double> projected) const {
  Projection error;
  double delta = 0, together = 0;
  for (std::size_t c = 0; c < dout.size(); ++c) {
    error.apart += std::abs(dout[c]) * out(static_cast<index>(c));
    delta += dout[c] * sums_.out[c];
    together += std::abs(dout[c]) * noise(c);
  }
  error.deterministic = error.probabilistic = error.apart;
  // Weights that err by more are bounded by convexity, channel by channel.
  if (!(total_weight_error() <= convexity_helps_from)) return error;
  const double kept = 1 - total_weight_error(), u = numerics_.weight.cast.roundoff;
  double moved = 0, cast = 0, others = 0;
  std::vector<double> effects = moved_by_casts();
  for (std::size_t j = 0; j < effects.size(); ++j) {
    moved += weights_.error[j] * std::abs(projected[j] - delta) / kept;
    effects[j] *= std::abs(projected[j] - (shared_cast() > 0 ? delta : 0)) / kept;
    cast += effects[j];
  }
  for (std::size_t c = 0; c < dout.size(); ++c) {
    // Both are parts of the deterministic bound; what is left of it holds all other and all mixed terms.
    const double parts = (sums_.error[c] + u * cast_size(c)) / kept;
    others += std::abs(dout[c]) * (out(static_cast<index>(c)) - parts);
  }
  const double linear = others + moved + 2 * together / kept;
  error.deterministic = std::min(error.apart, linear + cast);
  error.probabilistic = std::min(error.deterministic, linear + std::min(cast, windowed(effects)));
  if (u > 0 && error.deterministic < error.apart) error.casts = casts_of(effects);
  return error;
}

}  // namespace attestone
