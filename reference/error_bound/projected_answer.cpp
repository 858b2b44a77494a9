// SPDX-License-Identifier: Apache-2.0
// The error of <dO, O>: less than that of its channels together, because they share weights and casts
// (docs/tolerance.md, "Delta").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/exponents.hpp"
#include "reference/error_bound/forward_row.hpp"

namespace attestone {

/// Casting the weights, each with the effect u_P p (1 + tau) |<dO, v - r>|.
double ForwardRow::projected_cast(std::span<const double> effects) const {
  const double u = numerics_.weight_roundoff;
  if (u == 0) return 0;
  double largest = 0;
  for (const std::vector<double>& exponent : possible_exponents(scores_, numerics_.tile_keys)) {
    std::vector<Rounded> errors(scores_.size());
    for (std::size_t j = 0; j < errors.size(); ++j) errors[j] = {exponent[j], effects[j]};
    largest = std::max(largest, windowed_quadrature(std::move(errors), 2 * u / windows_per_cell));
  }
  return largest;
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
  const double kept = 1 - total_weight_error(), u = numerics_.weight_roundoff;
  double moved = 0, cast = 0, others = 0;
  std::vector<double> effects(scores_.size());
  for (std::size_t j = 0; j < effects.size(); ++j) {
    moved += weights_.error[j] * std::abs(projected[j] - delta);
    effects[j] = u * weights_.upper[j] * std::abs(projected[j] - (shared_cast() > 0 ? delta : 0));
    cast += effects[j];
  }
  for (std::size_t c = 0; c < dout.size(); ++c) {
    // Both are parts of the deterministic bound; what is left of it holds all other and all mixed terms.
    const double parts = (sums_.error[c] + u * cast_size(c)) / kept;
    others += std::abs(dout[c]) * (out(static_cast<index>(c)) - parts);
  }
  const double linear = others + (moved + 2 * together) / kept;
  error.deterministic = std::min(error.apart, linear + cast / kept);
  error.probabilistic = std::min(error.deterministic, linear + std::min(cast, projected_cast(effects)) / kept);
  return error;
}

}  // namespace attestone
