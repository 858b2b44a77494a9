// SPDX-License-Identifier: Apache-2.0
// Kernels take delta from O, or from the rows of P and dP; the larger error counts.
#include "reference/error_bound/gradient/delta.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/rounding.hpp"

namespace attestone {
namespace {

/// log2 e and its product with log_sum_exp, or ln 2 and its product with the exponent.
constexpr double base_roundings = 2;
/// The difference of score and log_sum_exp; the product with log2 e, where that comes last.
constexpr double argument_roundings = 2;
/// A weight divided by the denominator, where a kernel works that out again.
constexpr double division_roundings = 2;

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double each : x) sum += std::abs(each);
  return sum;
}

/// The error of delta, and what sums to it at most.
struct DeltaError {
  double error = 0, probable = 0, largest = 0;
};

/// The error of a kernel that takes delta as the sum of P dP over the keys.
DeltaError sum_over_keys(const ForwardRow& row, const Numerics& numerics, const ProjectedValues& dp,
                         const RecomputedWeights& weights, double delta) {
  const double growth = std::exp(weights.common), margin = row.weights().evaluation_error;
  double error = std::expm1(weights.common) * delta, products = 0, total = 0;
  std::vector<double> casts;
  for (std::size_t j = 0; j < dp.value.size(); ++j) {
    const double largest = std::abs(dp.value[j]) + dp.error[j] + margin * dp.size[j];
    error += growth * (weights.error[j] * largest + row.weights().share[j] * dp.error[j]);
    products += growth * weights.upper[j] * largest;
    total += growth * weights.upper[j];
    casts.push_back(numerics.weight.cast.roundoff * growth * weights.upper[j] * largest);
  }
  const double roundings =
      roundings_of_sum(static_cast<double>(dp.value.size()), numerics.gradient.accumulator.truncates);
  const double chain = gamma(roundings, numerics.gradient.accumulator.roundoff);
  // dP may be read as 0, and P be 0, where they lie below the normal range.
  error += (1 + numerics.weight.cast.roundoff) * chain * products +
           numerics.gradient.accumulator.underflow * (2 * roundings + total * (1 + chain)) +
           (weights.underflow + numerics.weight.cast.underflow) * (1 + chain) * (norm(dp.value) + norm(dp.error));
  const double cast = norm(casts);
  return {error + cast, error + std::min(cast, row.windowed(casts)), products * (1 + chain)};
}

/// The error of a kernel that takes delta as the sum of dO O over the channels: its roundings. `size` is sum |dO O|.
DeltaError sum_over_channels(const ForwardRow& row, const Numerics& numerics, std::span<const double> dout,
                             double size) {
  const double channels = static_cast<double>(dout.size());
  const double chain = gamma(roundings_of_sum(channels, numerics.gradient.accumulator.truncates),
                             numerics.gradient.accumulator.roundoff);
  const double underflow = numerics.gradient.accumulator.underflow * (2 * channels + norm(dout) + norm(row.sums().out));
  const double error = chain * size + underflow;
  return {error, error, size * (1 + chain)};
}

double together(const std::vector<Rounded>& errors) {
  double sum = 0;
  for (const Rounded& each : errors) sum += each.error;
  return sum;
}

}  // namespace

ProjectedValues::ProjectedValues(const ForwardRow& row, const Numerics& numerics, std::span<const double> dout,
                                 double dropout_error)
    : value(row.values().size()), size(value.size()), error(value.size()) {
  const ValueRows& values = row.values();
  const double channels = static_cast<double>(dout.size()), operand = 1 + numerics.gradient.operand_roundoff;
  const double chain = gamma(roundings_of_sum(channels, numerics.gradient.accumulator.truncates),
                             numerics.gradient.accumulator.roundoff);
  const double relative = operand * operand * (1 + chain) * (1 + dropout_error) - 1, dout_norm = norm(dout);
  const RowCast& cast = numerics.value.values;
  const Cast& stored = numerics.gradient.stored;
  for (std::size_t j = 0; j < value.size(); ++j) {
    double value_norm = 0;
    for (std::size_t c = 0; c < dout.size(); ++c) {
      const double v = values(j, c);
      value[j] += dout[c] * v;
      size[j] += std::abs(dout[c] * v);
      value_norm += std::abs(v);
    }
    if (size[j] == 0) continue;
    const double in_every_channel = cast.happens() ? row.value_cast(j) : 0;
    const double moved = cast.roundoff * size[j] + in_every_channel * dout_norm;
    value_norm = value_norm * (1 + cast.roundoff) + in_every_channel * channels;
    error[j] = moved + relative * (size[j] + moved) +
               numerics.gradient.accumulator.underflow * (1 + relative) *
                   (values.factor() * (2 * channels + 2 + dout_norm) + value_norm);
    error[j] += stored.roundoff * (std::abs(value[j]) + row.weights().evaluation_error * size[j] + error[j]) +
                stored.underflow * values.factor();
  }
}

RecomputedWeights::RecomputedWeights(const ForwardRow& row, const Numerics& numerics)
    : error(row.scores().size()),
      upper(error.size()),
      may_underflow(error.size()),
      underflow(2 * numerics.weight.accumulator.underflow) {
  const RowWeights& weights = row.weights();
  const double u = numerics.weight.accumulator.roundoff, base = gamma(base_roundings, u), stored = row.log_sum_exp();
  common = stored + base * (std::abs(weights.log_sum_exp) + stored) + 2 * numerics.weight.accumulator.underflow;
  const double argument = gamma(argument_roundings, u);
  const double least = std::log(std::max(normal_from(numerics.weight.cast), numerics.weight.accumulator.underflow));
  for (std::size_t j = 0; j < error.size(); ++j) {
    const double p = weights.share[j], exponent = row.scores().score[j] - weights.log_sum_exp;
    const double x = row.scores().error[j] + argument * (std::abs(exponent) + row.scores().error[j] + common) +
                     numerics.weight.exp_error + gamma(division_roundings, u);
    // p (e^x - 1); for large x without 0 * infinity where p underflows and x does not.
    error[j] = x < 1 ? p * x * (1 + x) : std::exp(exponent + x) - p;
    upper[j] = p + error[j];
    may_underflow[j] = exponent - x - common <= least;
  }
}

Delta::Delta(const ForwardRow& row, const Numerics& numerics, std::span<const double> dout, const ProjectedValues& dp,
             const RecomputedWeights& weights, double dropout_error) {
  double size = 0, weighted = 0;
  const double stored =
      numerics.gradient.delta_from_rounded_out ? numerics.output.cast.roundoff : numerics.output.accumulator.roundoff;
  for (std::size_t c = 0; c < dout.size(); ++c) {
    const double product = dout[c] * row.sums().out[c];
    value += product;
    size += std::abs(product);
    weighted += std::abs(dout[c]) * row.sums().weighted[c];
    outputs.push_back({std::log(std::abs(row.sums().out[c])), stored * std::abs(product)});
  }
  noise = row.weights().evaluation_error * weighted;
  const double largest_value = std::abs(value) + noise;
  const Projection answer = row.projection(dout, dp.value);
  casts = answer.casts;
  const DeltaError channels = sum_over_channels(row, numerics, dout, size + noise + answer.apart);
  const DeltaError keys = sum_over_keys(row, numerics, dp, weights, largest_value);

  // Dropout that is kept out of dP multiplies delta by 1 - rate instead.
  const auto scaled = [&](double error) { return error + dropout_error * (largest_value + error) + noise; };
  largest = std::max(channels.largest, keys.largest);
  deterministic = scaled(std::max(answer.deterministic + channels.error, keys.error));
  probabilistic = std::min(deterministic, scaled(std::max(answer.probabilistic + channels.probable, keys.probable)));
  const double roundings_of_out = together(outputs);
  others = scaled(std::max(answer.deterministic + channels.error, keys.error + roundings_of_out)) - roundings_of_out -
           together(casts);
}

}  // namespace attestone
