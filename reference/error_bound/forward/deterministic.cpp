// SPDX-License-Identifier: Apache-2.0
// The deterministic bound of one row: a theorem about every kernel with the declared arithmetic (docs/tolerance.md,
// "Output").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/answer_error.hpp"
#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/numerics/exactness.hpp"

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
      dropout_error_(dropout_error(inputs.problem().dropout,
                                   std::max({numerics.weight.accumulator.roundoff, numerics.value.accumulator.roundoff,
                                             numerics.output.accumulator.roundoff}))),
      sums_(value_sums(values_, scores_, weights_, numerics.weight.denominator_sums_cast,
                       numerics.value.accumulator.roundoff)),
      once_(find_once()) {
  if (total_weight_error() <= convexity_helps_from && weights_.merges.difference == 0) return;
  range_ = value_range(values_, sums_.out);
  for (std::size_t c = 0; c < range_.largest.size(); ++c) {
    const double moved = largest_moved_value(c);
    range_.largest[c] += moved, range_.distance[c] += moved;
  }
}

/// A cast of the weights that the denominator shares shifts weight between keys.
double ForwardRow::shared_cast() const {
  return numerics_.weight.denominator_sums_cast ? numerics_.weight.cast.roundoff : 0;
}

/// A cast that it does not share; dropout multiplies weights that were cast for the denominator, and casts them again.
double ForwardRow::own_cast() const {
  return numerics_.weight.denominator_sums_cast && dropout_error_ == 0 ? 0 : numerics_.weight.cast.roundoff;
}

/// sum p tau; a cast that the denominator shares counts as an error of the weights.
double ForwardRow::total_weight_error() const {
  return weights_.total_error + shared_cast() * (1 + weights_.total_error);
}

/// Relative error of one product of a weight and a value, the rounding of that weight's cast excepted; that of the
/// narrower sum of its tile is one of each product.
double ForwardRow::product_roundings() const {
  const double divided =
      numerics_.weight.normalised ? gamma(division_roundings, numerics_.weight.accumulator.roundoff) : 0;
  const double operand = 1 + numerics_.value.operand_roundoff;  // of the weight, and of the value
  const double in_tile = gamma(static_cast<double>(numerics_.value.tile_roundings), numerics_.value.tile_roundoff);
  const index keys =
      inputs_.problem().shape.keys + (inputs_.problem().score.has_sink() ? numerics_.weight.tile_keys : 0);
  const double again = gamma(renormalisation_roundings * static_cast<double>(renormalisations(numerics_, keys)),
                             std::max(numerics_.value.accumulator.roundoff, numerics_.weight.accumulator.roundoff));
  return operand * operand * (1 + divided) * (1 + dropout_error_) * (1 + in_tile) * (1 + again) - 1;
}

/// Relative error of a sum over the keys: of weighted values, and of their weights.
double ForwardRow::numerator_chain() const {
  return (1 + gamma(weights_.value_sum.chain, numerics_.value.accumulator.roundoff)) * (1 + weights_.merges.numerator) *
             (1 + weights_.merges.stored) -
         1;
}
double ForwardRow::denominator_chain() const {
  return (1 + gamma(weights_.weight_sum.chain, numerics_.weight.accumulator.roundoff)) *
             (1 + weights_.merges.denominator) -
         1;
}

/// Parts that are divided by themselves are merged with weights whose sum is 1, but for those of a late correction.
double ForwardRow::division() const {
  if (numerics_.merge.divides_parts()) return weights_.late_factors;
  return numerics_.weight.normalised ? 0 : gamma(division_roundings, numerics_.output.accumulator.roundoff);
}

double ForwardRow::noise(std::size_t channel) const { return weights_.evaluation_error * sums_.weighted[channel]; }

/// sum p (1 + tau) |v - r|, r = o if the cast is centred, else 0.
std::vector<double> ForwardRow::cast_sizes() const {
  if (!numerics_.weight.denominator_sums_cast) return sums_.weighted;
  std::vector<double> sizes(sums_.out.size());
  for (std::size_t j = 0; j < scores_.size(); ++j)
    for (std::size_t c = 0; c < sizes.size(); ++c)
      sizes[c] += weights_.upper[j] * std::abs(values_(j, c) - sums_.out[c]);
  return sizes;
}

ForwardRow::Once ForwardRow::find_once() const {
  if (scores_.size() == 0) return {};
  double moved = 0, largest_moved = 0;
  for (std::size_t j = 0; numerics_.value.values.happens() && j < scores_.size(); ++j) {
    const double here = value_cast(j);
    moved += weights_.upper[j] * here;
    largest_moved = std::max(largest_moved, here);
  }
  return {.numerator_chain = numerator_chain(),
          .denominator_chain = denominator_chain(),
          .product_roundings = product_roundings(),
          .weight_unit = weight_unit(weights_.denominator),
          .denominator_underflow = denominator_underflow(),
          .room_for_values = room_for_values(),
          .score_window = score_window(),
          .moved_values = moved,
          .largest_moved_value = largest_moved,
          .cast_sizes = cast_sizes(),
          .block_casts = block_casts()};
}

double ForwardRow::bounded_by_convexity(std::size_t channel) const {
  if (range_.largest.empty() || !once_.block_casts.empty()) return infinity;
  const double product = (1 + own_cast()) * (1 + once_.product_roundings) * (1 + once_.numerator_chain) - 1;
  return answer_error({.answer = std::abs(sums_.out[channel]),
                       .moved = range_.distance[channel],
                       .numerator = product * range_.largest[channel] + underflow(channel) + differences(channel),
                       .denominator = once_.denominator_chain + once_.denominator_underflow,
                       .division = division()},
                      numerics_.output);
}

/// `error` with the margin for evaluating it in double; infinity where an intermediate may leave its range.
double ForwardRow::finish(std::size_t channel, double error) const {
  const double margin = weights_.evaluation_error;
  const double bound = error * (1 + margin);
  const double largest = std::abs(sums_.out[channel]) + bound;
  // For divided parts, or a denominator that shares the cast, no bound is known where blocks share scales.
  const bool known =
      once_.block_casts.empty() || !(numerics_.merge.divides_parts() || numerics_.weight.denominator_sums_cast);
  return known && margin < 1 && largest <= numerics_.output.cast.largest && in_range(channel) ? bound : infinity;
}

double ForwardRow::out(index at) const {
  const auto c = static_cast<std::size_t>(at);
  if (visible_keys() == 0) return 0;
  const double total = total_weight_error(), kept = 1 - total;
  double error = infinity;
  if (kept > 0) {
    const double product = (1 + own_cast()) * (1 + once_.product_roundings) * (1 + once_.numerator_chain) - 1;
    const double moved = moved_values(c);
    const double sum = (1 + shared_cast()) * (product * (sums_.weighted[c] + moved) + moved);
    error = answer_error({.answer = std::abs(sums_.out[c]) + noise(c),
                          .moved = (sums_.error[c] + shared_cast() * cast_size(c) + total * noise(c)) / kept,
                          .numerator = (sum + underflow(c) + differences(c)) / kept,
                          .denominator = once_.denominator_chain + once_.denominator_underflow,
                          .division = division()},
                         numerics_.output);
  }
  return finish(c, std::min(error, bounded_by_convexity(c)));
}

void ForwardRow::all_of_out(std::span<double> deterministic, std::span<double> at_least) const {
  for (std::size_t c = 0; c < deterministic.size(); ++c) {
    deterministic[c] = out(static_cast<index>(c));
    at_least[c] = this->at_least(c, deterministic[c]);
  }
}

}  // namespace attestone
