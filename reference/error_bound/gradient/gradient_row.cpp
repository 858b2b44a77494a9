// SPDX-License-Identifier: Apache-2.0
// From weights, dP and delta to dS.
#include "reference/error_bound/gradient/gradient_row.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/gradient/delta.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {
namespace {

/// dP - delta; its product with P; that with the softcap's derivative; the scale and its product, if it comes here.
constexpr double product_roundings = 5;
/// 1 - t t, or (1 - t)(1 + t).
constexpr double derivative_roundings = 3;

/// The arithmetic of the O that delta reads.
Numerics of_delta(Numerics numerics) {
  if (numerics.gradient.delta_from_rounded_out) return numerics;
  const Accumulator& kept = numerics.output.accumulator;
  numerics.output.cast = {.roundoff = kept.roundoff, .underflow = kept.underflow, .largest = kept.largest};
  return numerics;
}

/// One pair's gradient of its score: value, own error, and by what delta's error enters.
struct PairGradient {
  double value, size, own, reach, through_delta;
};

/// Multiplied by the derivative f of the softcap, known to within phi. `underflow` is that of this product, and of the
/// one with the scale.
PairGradient times_derivative(const PairGradient& pair, double f, double phi, double delta_error, double underflow) {
  return {f * pair.value, f * pair.size,
          f * pair.own + phi * (pair.size + pair.own + pair.through_delta * delta_error) + underflow, f * pair.reach,
          f * pair.through_delta};
}

void add(ScoreGradients& all, const PairGradient& pair, double delta_error, double growth) {
  all.value.push_back(pair.value);
  all.own.push_back(pair.own);
  all.reach.push_back(pair.reach);
  all.through_delta.push_back(pair.through_delta);
  all.largest.push_back(growth * (pair.size + pair.own + pair.through_delta * delta_error));
}

/// The inputs of a row's pairs.
struct Sources {
  Sources(const DecodedInputs& inputs, const Numerics& n, const ForwardRow& row, std::span<const double> dout)
      : numerics(n),
        forward(row),
        scale(std::abs(inputs.problem().scale())),
        dropout(dropout_error(inputs.problem().dropout, n.gradient.accumulator.roundoff)),
        rounded(1 + gamma(product_roundings, n.gradient.accumulator.roundoff)),
        dp(row, n, dout, dropout),
        weights(row, n),
        delta(row, n, dout, dp, weights, dropout) {}

  /// Before the softcap's derivative.
  PairGradient pair(std::size_t j) const {
    const Cast& cast = numerics.gradient.weight;
    const double p = forward.weights().share[j], upper = weights.upper[j] * (1 + cast.roundoff) * rounded;
    const double noise = delta.noise + forward.weights().evaluation_error * dp.size[j];
    const double x = std::abs(dp.value[j] - delta.value) + noise;
    // P below the normal range, where it is cast too, and its product.
    const double flushed = weights.underflow * (1 + cast.roundoff) + cast.underflow;
    const double underflow = flushed * rounded * (x + dp.error[j] + delta.deterministic) + product_underflow();
    return {.value = p * (dp.value[j] - delta.value),
            .size = p * x,
            .own = (upper - p) * x + upper * dp.error[j] + p * noise + underflow,
            .reach = p,
            .through_delta = upper};
  }

  /// The underflow of one product, in units of the scaled gradient.
  double product_underflow() const { return numerics.gradient.accumulator.underflow * std::max(1.0, 1 / scale); }

  /// The derivative of the softcap, and its error.
  std::pair<double, double> derivative(std::size_t j) const {
    const RowScores& scores = forward.scores();
    if (scores.tanh.empty()) return {1, 0};
    const double t = scores.tanh[j], error = scores.tanh_error[j];
    const double roundings = gamma(derivative_roundings, numerics.gradient.accumulator.roundoff);
    return {1 - t * t, (error * (2 * std::abs(t) + error) + roundings) * rounded};
  }

  const Numerics& numerics;
  const ForwardRow& forward;
  double scale, dropout, rounded;
  ProjectedValues dp;
  RecomputedWeights weights;
  Delta delta;
};

void add_weights(const Sources& from, GradientRowBound& row) {
  const Numerics& n = from.numerics;
  const double z = from.forward.values().factor(), u = n.weight.cast.roundoff;
  const double product =
      (1 + u) * (1 + from.dropout) * (1 + n.gradient.operand_roundoff) * (1 + n.gradient.operand_roundoff);
  const double of_factor = z > 1 ? n.gradient.accumulator.underflow : 0;
  for (std::size_t j = 0; j < row.keys.size(); ++j) {
    const bool kept = from.forward.values().keeps(j);
    const double p = from.forward.weights().share[j], upper = from.weights.upper[j] * product;
    const double underflow = from.weights.underflow + (from.weights.may_underflow[j] ? n.weight.cast.underflow : 0);
    row.kept.push_back(kept);
    row.weight.push_back(kept ? z * p : 0);
    row.weight_error.push_back(kept ? z * (upper - p) + (z * underflow + of_factor) * product : 0);
    row.weight_cast.push_back(kept ? z * u * from.weights.upper[j] : 0);
    row.exponent.push_back(from.forward.scores().score[j] - from.forward.weights().log_sum_exp);
  }
}

void add_sink(const Sources& from, GradientRowBound& row) {
  const std::size_t j = row.keys.size();
  const PairGradient pair = from.pair(j);
  const auto error = [&](double of_delta) {
    return row.growth() * (pair.own + pair.through_delta * of_delta) + row.excess() * pair.size;
  };
  row.sink = pair.value;
  row.sink_weight = pair.reach;
  row.sink_error = error(from.delta.deterministic);
  row.sink_error_probable = error(from.delta.probabilistic);
}

bool sees_finite_numbers(const Sources& from) {
  const auto finite = [](std::span<const double> all) {
    return std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
  };
  return finite(from.forward.scores().score) && finite(from.dp.value) && finite(from.dp.size);
}

/// dP, delta and dS must stay finite; dP where it is stored, and dS where it is cast, scaled or not.
bool stays_in_range(const Sources& from, const GradientRowBound& row) {
  const Numerics& n = from.numerics;
  const double largest_gradient =
      n.gradient.cast.roundoff > 0 ? n.gradient.cast.largest : n.gradient.accumulator.largest;
  const double largest_dp = n.gradient.stored.roundoff > 0 ? n.gradient.stored.largest : infinity;
  bool in_range = from.forward.scores().in_range && from.delta.largest <= n.gradient.accumulator.largest;
  for (std::size_t j = 0; j < row.keys.size(); ++j)
    in_range = in_range && from.dp.size[j] + from.dp.error[j] + from.delta.largest <= n.gradient.accumulator.largest &&
               from.dp.size[j] + from.dp.error[j] <= largest_dp &&
               row.capped.largest[j] * std::max(1.0, from.scale) <= largest_gradient;
  return in_range;
}

}  // namespace

void GradientRowBound::leave_unbounded(bool biased) {
  const std::vector<double> nothing(keys.size()), anything(keys.size(), infinity);
  kept.assign(keys.size(), true);
  weight = weight_cast = exponent = nothing;
  weight_error = anything;
  capped = {.value = nothing, .own = anything, .reach = nothing, .through_delta = nothing, .largest = anything};
  if (biased) plain = capped;
  sink_error = sink_error_probable = infinity;
}

GradientRowBound::GradientRowBound(const DecodedInputs& inputs, const Numerics& numerics, index batch, index head,
                                   index query)
    : dout(inputs.dout(batch, head, query)) {
  if (std::all_of(dout.begin(), dout.end(), [](double x) { return x == 0; })) return;
  const Numerics arithmetic_of_delta = of_delta(numerics);
  const ForwardRow forward(inputs, arithmetic_of_delta, batch, head, query);
  if (forward.visible_keys() == 0) return;
  const Sources from(inputs, numerics, forward, dout);
  keys = forward.scores().keys;
  const bool biased = inputs.problem().score.bias_tensor().has_value();
  if (!sees_finite_numbers(from)) {
    leave_unbounded(biased);
    return;
  }
  delta = from.delta.value;
  delta_error = from.delta.deterministic;
  delta_error_probable = from.delta.probabilistic;
  delta_outputs = from.delta.outputs;
  delta_casts = from.delta.casts;
  delta_others = from.delta.others;
  common = from.weights.common;
  beside_grid = forward.lies_beside_grid();
  add_weights(from, *this);
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const PairGradient pair = from.pair(j);
    const auto [f, phi] = from.derivative(j);
    if (biased) add(plain, pair, delta_error, growth());
    const double underflow = 2 * from.product_underflow();
    add(capped, times_derivative(pair, f, phi, delta_error, underflow), delta_error, growth());
  }
  if (forward.scores().has_sink()) add_sink(from, *this);
  margin = forward.weights().evaluation_error;
  if (!stays_in_range(from, *this)) common = infinity;
}

}  // namespace attestone
