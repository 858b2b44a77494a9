// SPDX-License-Identifier: Apache-2.0
// The error of <dO, O>: less than that of its channels together, because they share weights and casts
// (docs/tolerance.md, "Delta").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/exponents.hpp"
#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {

/// Whether a kernel surely takes the score of this key for the maximum that it subtracts: the weight that it casts is
/// exp(0) = 1 but for tau, and the number of a format that is nearest to what is so near to 1 is 1.
bool ForwardRow::is_cast_to_one(std::size_t j) const {
  const double cast = numerics_.weight.cast.roundoff;
  const bool is_key = j < scores_.keys.size();
  if (!is_key || !rounds_to_nearest(cast) || numerics_.weight.normalised || dropout_error_ > 0 ||
      numerics_.merge.merges() || weights_.distance > 0 || !(weights_.exponent[j] < cast / 4))
    return false;
  for (std::size_t k = 0; k < scores_.size(); ++k)
    if (k != j && !(scores_.score[k] + scores_.error[k] < scores_.score[j] - scores_.error[j])) return false;
  return true;
}

/// Of each weight u_P p (1 + tau), or p tau if it is cast to 1.
std::vector<double> ForwardRow::moved_by_casts() const {
  std::vector<double> moved(scores_.size());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] = numerics_.weight.cast.roundoff * weights_.upper[j];
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(scores_.score) - scores_.score.begin());
  if (largest < moved.size() && is_cast_to_one(largest))
    moved[largest] = std::min(moved[largest], weights_.error[largest]);
  return moved;
}

/// What is cast, s - m or s - L, and `effects`; nothing if a trend in the scores, or parts whose maxima differ, leave
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
