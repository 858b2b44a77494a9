// SPDX-License-Identifier: Apache-2.0
// The deterministic bound of one row: a theorem about every kernel with the declared arithmetic (docs/tolerance.md,
// "Output").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/forward_row.hpp"

namespace attestone {
namespace {

/// One rounding for a division; two for the product with a rounded reciprocal.
constexpr double division_roundings = 2;

}  // namespace

ForwardRow::ForwardRow(const DecodedInputs& inputs, const Numerics& numerics, index batch, index head, index query)
    : inputs_(inputs),
      numerics_(numerics),
      scores_(row_scores(inputs, numerics, batch, head, query)),
      weights_(row_weights(scores_, numerics, inputs.problem().shape.dim)),
      values_(inputs, scores_, batch, head, query),
      dropout_error_(dropout_error(inputs.problem().dropout, numerics.accumulator_roundoff)),
      sums_(value_sums(values_, scores_, weights_, numerics.denominator_sums_cast_weights)) {
  if (!(total_weight_error() <= convexity_helps_from)) range_ = value_range(values_, sums_.out);
}

/// A cast of the weights that the denominator shares shifts weight between keys.
double ForwardRow::shared_cast() const {
  return numerics_.denominator_sums_cast_weights ? numerics_.weight_roundoff : 0;
}

/// A cast that it does not share; dropout multiplies weights that were cast for the denominator, and casts them again.
double ForwardRow::own_cast() const {
  return numerics_.denominator_sums_cast_weights && dropout_error_ == 0 ? 0 : numerics_.weight_roundoff;
}

/// sum p tau; a cast that the denominator shares counts as an error of the weights.
double ForwardRow::total_weight_error() const {
  return weights_.total_error + shared_cast() * (1 + weights_.total_error);
}

/// Relative error of one product of a weight and a value, the rounding of that weight's cast excepted.
double ForwardRow::product_roundings() const {
  const double divided =
      numerics_.weights_are_normalised ? gamma(division_roundings, numerics_.accumulator_roundoff) : 0;
  return (1 + numerics_.operand_roundoff) * (1 + divided) * (1 + dropout_error_) - 1;
}

double ForwardRow::division() const {
  return numerics_.weights_are_normalised ? 0 : gamma(division_roundings, numerics_.accumulator_roundoff);
}

/// How far o_c in double may be from o_c.
double ForwardRow::noise(std::size_t channel) const { return weights_.evaluation_error * sums_.weighted[channel]; }

/// sum p (1 + tau) |v - r|, r = o if the cast is centred, else 0.
double ForwardRow::cast_size(std::size_t channel) const {
  if (!numerics_.denominator_sums_cast_weights) return sums_.weighted[channel];
  double sum = 0;
  for (std::size_t j = 0; j < scores_.size(); ++j)
    sum += weights_.upper[j] * std::abs(values_(j, channel) - sums_.out[channel]);
  return sum;
}

/// Errors that underflow makes in the weighted sum: in weights and their cast, in products and sums, in values read.
double ForwardRow::underflow(std::size_t channel) const {
  // An error of 1 in a kernel's weights, in units in which the denominator is 1; that denominator is at least 1.
  const double unit = std::min(1.0, std::exp(weights_.reach - weights_.largest_score) / weights_.denominator);
  const double cast_unit = numerics_.weights_are_normalised ? 1 : unit;
  const double eta = numerics_.accumulator_underflow;
  const double operations = 2 * static_cast<double>(scores_.size()) + static_cast<double>(weights_.rescalings) + 2;
  return (eta * unit + numerics_.weight_underflow * cast_unit) * sums_.underflow[channel] +
         eta * values_.factor() * (operations * cast_unit + 1 + std::min(1.0, total_weight_error())) *
             (1 + gamma(weights_.sum_roundings, numerics_.accumulator_roundoff));
}

/// Relative to a kernel's denominator, which is at least 1 in its own units, and sum p (1 + theta) in those of the
/// truth.
double ForwardRow::denominator_underflow() const {
  const double cast = shared_cast() > 0 ? numerics_.weight_underflow : 0;
  const double least = weights_.denominator * (1 - weights_.total_error);
  const double unit = least > 1 ? std::min(1.0, std::exp(weights_.reach - weights_.largest_score) / least) : 1;
  return static_cast<double>(weights_.underflows) * (numerics_.accumulator_underflow + cast) * unit;
}

/// Running sums are at most sum |v|, as no weight exceeds 1 when it is added; the denominator is at most n.
bool ForwardRow::in_range(std::size_t channel) const {
  const double n = static_cast<double>(scores_.size());
  const double growth =
      (1 + gamma(weights_.sum_roundings + 2, numerics_.accumulator_roundoff)) * (1 + numerics_.weight_roundoff);
  const double room = numerics_.accumulator_largest / growth;
  if (!scores_.in_range || !(n <= room)) return false;
  if (n * inputs_.largest_value() * values_.factor() <= room) return true;
  double sum = 0;
  for (std::size_t j = 0; j < scores_.size(); ++j) sum += std::abs(values_(j, channel));
  return sum <= room;
}

double ForwardRow::bounded_by_convexity(std::size_t channel) const {
  if (range_.largest.empty()) return infinity;
  const double u = numerics_.accumulator_roundoff, sum = gamma(weights_.sum_roundings, u);
  const double product = (1 + own_cast()) * (1 + product_roundings()) * (1 + sum) - 1;
  return answer_error({.answer = std::abs(sums_.out[channel]),
                       .moved = range_.distance[channel],
                       .numerator = product * range_.largest[channel] + underflow(channel),
                       .denominator = sum + denominator_underflow(),
                       .division = division()},
                      numerics_);
}

/// `error` with the margin for evaluating it in double; infinity where an intermediate may leave its range.
double ForwardRow::finish(std::size_t channel, double error) const {
  const double margin = weights_.evaluation_error;
  const double bound = error * (1 + margin);
  const double largest = std::abs(sums_.out[channel]) + bound;
  return margin < 1 && largest <= numerics_.output_largest && in_range(channel) ? bound : infinity;
}

double ForwardRow::out(index at) const {
  const auto c = static_cast<std::size_t>(at);
  if (visible_keys() == 0) return 0;
  const double u = numerics_.accumulator_roundoff, sum = gamma(weights_.sum_roundings, u);
  const double total = total_weight_error(), kept = 1 - total;
  double error = infinity;
  if (kept > 0) {
    const double product = (1 + own_cast()) * (1 + product_roundings()) * (1 + sum) - 1;
    error = answer_error({.answer = std::abs(sums_.out[c]) + noise(c),
                          .moved = (sums_.error[c] + shared_cast() * cast_size(c) + total * noise(c)) / kept,
                          .numerator = (product * (1 + shared_cast()) * sums_.weighted[c] + underflow(c)) / kept,
                          .denominator = sum + denominator_underflow(),
                          .division = division()},
                         numerics_);
  }
  return finish(c, std::min(error, bounded_by_convexity(c)));
}

}  // namespace attestone
