// SPDX-License-Identifier: Apache-2.0
// The probabilistic bound of one row at lambda = 9: a model, in which roundings of different cells are independent
// (docs/tolerance.md, "The probabilistic bound"). Each term is at most its deterministic form.
#include <algorithm>
#include <array>
#include <cmath>

#include "reference/error_bound/forward/answer_error.hpp"
#include "reference/error_bound/forward/exponents.hpp"
#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/windows.hpp"

namespace attestone {

/// The terms that quadrature may reduce.
struct ForwardRow::Terms {
  double scores;       ///< sum p theta (v - o), for the errors of scores that are not systematic
  double cast;         ///< of the weights' cast
  double sum;          ///< of products and additions, relative to a denominator of 1
  double stored;       ///< of storing the parts
  double denominator;  ///< relative error of the denominator's sum
};

namespace {

/// n errors of at most `each`, independent or, where that is less, all at their worst.
double independent(double n, double each) { return each * std::min(n, lambda * std::sqrt(n)); }

/// Numbers of nearly the same size added to sums of at most `largest_sum`: those with which one cell of the sum's
/// rounding cannot be told from another's share windows, and those too small to move the sum are taken at their worst.
double addition_error(std::span<const double> addends, double largest_sum, double roundoff) {
  const double width = 2 * roundoff * largest_sum / windows_per_cell;
  double swallowed = 0, total = 0;
  std::vector<double> others;
  others.reserve(addends.size());
  for (const double x : addends) {
    const double error = std::min(x, roundoff * largest_sum);
    if (x <= width) {
      swallowed += error;
    } else {
      total += error;
      others.push_back(x);
    }
  }
  return swallowed + windowed_sum(total, std::move(others), roundoff * largest_sum, width);
}

}  // namespace

/// One cell of a score's rounding, over windows_per_cell.
double ForwardRow::score_window() const {
  const double largest = *std::max_element(scores_.magnitude.begin(), scores_.magnitude.end());
  return 2 * numerics_.score.accumulator.roundoff * largest / windows_per_cell;
}

/// Additions in q.k. Keys with nearly equal scores may be nearly equal keys, whose scores round alike.
double ForwardRow::chain_error(std::size_t c) const {
  double total = 0;
  std::vector<Rounded> errors(scores_.size());
  for (std::size_t j = 0; j < errors.size(); ++j) {
    const double distance = std::abs(values_(j, c) - sums_.out[c]);
    errors[rank()[j]] = {scores_.score[j], weights_.chain_root[j] * distance};
    total += weights_.chain[j] * distance;
  }
  return std::min(total, windowed_quadrature(std::move(errors), once_.score_window));
}

/// Storing a score: a cell spans a factor of at most 1 + 2 u_S.
double ForwardRow::stored_error(std::size_t c) const {
  if (numerics_.score.stored.roundoff == 0) return 0;
  double total = 0;
  std::vector<Rounded> errors(scores_.size());
  for (std::size_t j = 0; j < errors.size(); ++j) {
    errors[j] = {std::log(std::abs(scores_.score[j])), weights_.stored[j] * std::abs(values_(j, c) - sums_.out[c])};
    total += errors[j].error;
  }
  return windowed_sum(total, std::move(errors), 2 * numerics_.score.stored.roundoff / windows_per_cell);
}

/// Casting the weights: a cell spans 2 u_P of the exponent at most.
double ForwardRow::cast_error(std::size_t c) const {
  const double u = numerics_.weight.cast.roundoff;
  if (u == 0) return 0;
  const double reference = numerics_.weight.denominator_sums_cast ? sums_.out[c] : 0;
  double largest = 0;
  for (const std::vector<double>& exponent : exponents().possible) {
    std::vector<Rounded> errors(scores_.size());
    for (std::size_t j = 0; j < errors.size(); ++j)
      errors[rank()[j]] = {exponent[j], u * weights_.upper[j] * std::abs(values_(j, c) - reference)};
    largest = std::max(largest, windowed_quadrature(std::move(errors), 2 * u / windows_per_cell));
  }
  return std::min(u * cast_size(c), largest * exponents().recur);
}

/// The largest sum that an accumulator may hold: over any run of keys, or over every 4th, 8th, 16th or 32nd key. Where
/// tiles come, or parts hold keys, in any order, as if nothing cancelled.
double ForwardRow::largest_partial_sum(std::size_t c) const {
  if (numerics_.weight.visits > Visits::either_way ||
      (numerics_.merge.merges() && numerics_.merge.visits == Visits::any))
    return (1 + numerics_.weight.cast.roundoff) * sums_.weighted[c];
  constexpr std::array<std::size_t, 4> lane_counts{4, 8, 16, 32};
  std::array<std::array<double, 32>, lane_counts.size()> lanes{};
  double prefix = 0, lowest = 0, highest = 0, in_lanes = 0, perturbation = 0;
  for (std::size_t j = 0; j < scores_.size(); ++j) {
    const double v = values_(j, c), x = weights_.share[j] * v;
    perturbation += (weights_.error[j] + numerics_.weight.cast.roundoff * weights_.upper[j]) * std::abs(v);
    prefix += x;
    lowest = std::min(lowest, prefix);
    highest = std::max(highest, prefix);
    for (std::size_t i = 0; i < lane_counts.size(); ++i) {
      double& lane = lanes[i][j % lane_counts[i]];
      lane += x;
      in_lanes = std::max(in_lanes, std::abs(lane));
    }
  }
  return std::max(highest - lowest, in_lanes) + perturbation;
}

/// Products and additions of p v, relative to a denominator of 1.
double ForwardRow::sum_error(std::size_t c, double largest) const {
  const Accumulator& value = numerics_.value.accumulator;
  const double u = value.roundoff, n = static_cast<double>(scores_.size());
  std::vector<double> addends(scores_.size());
  for (std::size_t j = 0; j < addends.size(); ++j) addends[j] = weights_.upper[j] * std::abs(values_(j, c));
  const double drift = roundings_of_sum(n, value.truncates) * mean_of_truncation(value) * largest;
  const double error = u * sums_.weighted[c] + addition_error(addends, largest, u) + drift +
                       independent(weights_.value_sum.extra, u * largest);
  return std::min(gamma(weights_.value_sum.chain, u) * sums_.weighted[c], error);
}

/// Each part is at most what an accumulator may hold.
double ForwardRow::storage_error(std::size_t c, double largest) const {
  return weights_.merges.stored * std::min(sums_.weighted[c], weights_.merges.parts * largest);
}

double ForwardRow::denominator_error() const {
  const Accumulator& weight = numerics_.weight.accumulator;
  const double u = weight.roundoff, n = static_cast<double>(scores_.size());
  const double drift = roundings_of_sum(n, weight.truncates) * mean_of_truncation(weight);
  const double error =
      addition_error(weights_.upper, 1 + weights_.total_error, u) + drift + independent(weights_.weight_sum.extra, u);
  const double sum = std::min(gamma(weights_.weight_sum.chain, u), error);
  return (1 + sum) * (1 + weights_.merges.denominator) - 1;
}

double ForwardRow::likely_denominator_error() const {
  if (!likely_denominator_error_) likely_denominator_error_ = denominator_error();
  return *likely_denominator_error_;
}

const std::vector<std::size_t>& ForwardRow::rank() const {
  if (!rank_) rank_ = ranks(scores_.score);
  return *rank_;
}

const ForwardRow::Exponents& ForwardRow::exponents() const {
  if (!exponents_)
    exponents_ = Exponents{.possible = possible_exponents(scores_, numerics_.weight.tile_keys),
                           .recur = exponents_recur(scores_, numerics_.weight, numerics_.merge)};
  return *exponents_;
}

double ForwardRow::probabilistic(std::size_t c, const Terms& terms) const {
  const double total = total_weight_error(), kept = 1 - total;
  if (!(kept > 0)) return infinity;
  const double product = (1 + once_.product_roundings) * (1 + weights_.merges.numerator) - 1;
  const double casts = (1 + own_cast()) * (1 + shared_cast());
  const double moved =
      terms.scores + sums_.systematic_error[c] + (shared_cast() > 0 ? terms.cast : 0) + total * noise(c);
  // A second cast, which dropout makes, is taken at its worst.
  const double cast_again = shared_cast() > 0 ? own_cast() * sums_.weighted[c] : terms.cast;
  // Values that were rounded before may all err alike.
  const double cast_before = casts * (1 + product) * (1 + once_.numerator_chain) * moved_values(c);
  const double numerator = (cast_again + product * casts * sums_.weighted[c] + casts * (1 + product) * terms.sum) *
                               (1 + weights_.merges.stored) +
                           cast_before + casts * (1 + product) * terms.stored + underflow(c) + differences(c);
  return answer_error({.answer = std::abs(sums_.out[c]) + noise(c),
                       .moved = moved / kept,
                       .numerator = numerator / kept,
                       .denominator = terms.denominator + once_.denominator_underflow,
                       .division = division()},
                      numerics_.output);
}

double ForwardRow::out_probabilistic(index at) const {
  if (visible_keys() == 0) return 0;
  const auto c = static_cast<std::size_t>(at);
  const double largest = largest_partial_sum(c);
  const double error = probabilistic(c, {.scores = chain_error(c) + stored_error(c),
                                         .cast = cast_error(c),
                                         .sum = sum_error(c, largest),
                                         .stored = storage_error(c, largest),
                                         .denominator = likely_denominator_error()});
  return std::min(out(at), finish(c, error));
}

double ForwardRow::out_probabilistic_at_least(index at) const {
  return at_least(static_cast<std::size_t>(at), out(at));
}

/// Blind quadrature, as if every rounding had a cell of its own, and what is deterministic anyway. A sum is rounded at
/// every addend that is large enough, by a share of what its partial sums span; all of them at their worst are at least
/// as much as quadrature takes D + 1 of them for.
double ForwardRow::at_least(std::size_t c, double deterministic) const {
  if (visible_keys() == 0) return 0;
  const double u = numerics_.weight.cast.roundoff, of_sum = numerics_.value.accumulator.roundoff;
  // Partial sums of the same numbers in another order.
  const double rounded = 0x1p-49 * static_cast<double>(scores_.size()) * sums_.weighted[c];
  const double additions = independent(sums_.seen[c], of_sum * std::max(0.0, sums_.span[c] - rounded));
  const double in_chain = std::min(lambda, std::sqrt(score_chain(numerics_.score, inputs_.problem().shape.dim)));
  const double error =
      probabilistic(c, {.scores = in_chain * std::sqrt(sums_.chain_squares[c]),
                        .cast = u == 0 ? 0 : u * std::min(cast_size(c), lambda * std::sqrt(sums_.cast_squares[c])),
                        .sum = std::min(gamma(weights_.value_sum.chain, of_sum) * sums_.weighted[c],
                                        of_sum * sums_.weighted[c] + additions),
                        .stored = weights_.merges.stored * std::abs(sums_.out[c]),
                        .denominator = weights_.merges.denominator});
  // Sums in another order may differ in their last places; the margin of finish() covers that, and is taken back.
  const double margin = weights_.evaluation_error;
  return std::min(deterministic, finish(c, error * (1 - margin) / (1 + margin)));
}

}  // namespace attestone
