// SPDX-License-Identifier: Apache-2.0
// From scores to weights: the argument of the exponential, the exponential itself, and the rescalings of later tiles.
#include "reference/error_bound/forward/row_weights.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/rescalings.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {
namespace {

/// Subtracting the running maximum, and the product with log2 e where it comes after the subtraction.
constexpr double argument_roundings = 2;

/// Among k tiles whose largest scores are near-ties in exchangeable order, more than this many raise the maximum with a
/// probability below exp(-81/2), for every k up to 10^6 (Chernoff's bound for sum 1/i independent events).
constexpr index likely_raises_among_near_ties = 60;

Rescalings possible_rescalings(const RowScores& scores, const Numerics& numerics) {
  std::vector<double> lowest(scores.size()), highest(scores.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    lowest[j] = scores.score[j] - scores.error[j];
    highest[j] = scores.score[j] + scores.error[j];
  }
  return count_rescalings({scores.keys, lowest, highest}, numerics.weight, numerics.merge);
}

/// The rescalings that are certain, and as many more as near-ties are likely to cause.
Rescalings likely_rescalings(const RowScores& scores, const Numerics& numerics, const Rescalings& possible) {
  if (possible.total <= likely_raises_among_near_ties) return possible;
  Rescalings likely = count_rescalings({scores.keys, scores.score, scores.score}, numerics.weight, numerics.merge);
  for (std::size_t j = 0; j < scores.size(); ++j)
    likely.later[j] = std::min(possible.later[j], likely.later[j] + likely_raises_among_near_ties);
  return likely;
}

/// The roundings of one sum over the keys in this accumulator.
SumRoundings roundings(const RowScores& scores, const Numerics& numerics, const Accumulator& accumulator,
                       index rescaled) {
  const index n = static_cast<index>(scores.size()), keys = static_cast<index>(scores.keys.size());
  const index tile_keys = numerics.weight.tile_keys;
  const double rescalings = static_cast<double>(rescaled);
  index additions = n, tiles = 0;
  if (numerics.value.fresh_accumulator_per_tile && tile_keys > 0 && keys > 0) {
    tiles = scores.keys.back() / tile_keys - scores.keys.front() / tile_keys + 1;
    additions = std::min(keys, tile_keys) + tiles + (n - keys);
  }
  const auto in_sum = [&](index addends) {
    return roundings_of_sum(static_cast<double>(addends), accumulator.truncates);
  };
  return {in_sum(additions) + rescalings, in_sum(n) - static_cast<double>(n) + in_sum(tiles) + rescalings};
}

/// The exact weights, m, l, L and what bounds them.
void find_denominator(const RowScores& scores, const Numerics& numerics, RowWeights& row) {
  row.largest_score = *std::max_element(scores.score.begin(), scores.score.end());
  row.reach = -infinity;
  double least_maximum = -infinity;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    row.share[j] = std::exp(scores.score[j] - row.largest_score);
    row.denominator += row.share[j];
    row.reach = std::max(row.reach, scores.score[j] + scores.error[j]);
    if (j < scores.keys.size() || scores.keys.empty())
      least_maximum = std::max(least_maximum, scores.score[j] - scores.error[j]);
  }
  // A maximum that is stored may be rounded up; a reference point may be anywhere near it.
  if (numerics.merge.merges()) row.reach += numerics.merge.log_sum_exp_roundoff * std::abs(row.reach);
  row.shortfall = std::max(0.0, row.largest_score - least_maximum);
  for (double& p : row.share) p /= row.denominator;
  row.log_sum_exp = row.largest_score + std::log(row.denominator);
}

/// A kernel may subtract more than every score, namely a bound of theirs, if the bound is small enough.
void find_reference(const RowScores& scores, const WeightStage& weight, RowWeights& row) {
  const auto& [lowered, largest] = weight.bounded_maximum;
  const bool bounded = largest > 0 && scores.norm_bound <= largest;
  const double at_bound = bounded ? scores.norm_bound - lowered - row.largest_score : 0;
  row.above = std::max(weight.reference_above, at_bound);
  row.distance = std::max(row.above, weight.reference_below);
}

/// n + 2 additions and products; two scores with D + 8 roundings each, relative to what they sum. Entries that weigh
/// nothing in any kernel, all errors included, are exactly 0 here as there, however inexact their scores.
double evaluation_error(const RowScores& scores, const RowWeights& row, index dim) {
  constexpr double double_roundoff = 0x1p-53, nothing = 1000;  // e^-1000 is far below every format
  double product = 0, bias = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double own = 2 * static_cast<double>(dim + 8) * double_roundoff * (scores.magnitude[j] + scores.bias[j]);
    if (scores.score[j] + row.exponent[j] + own < row.largest_score - nothing) continue;
    product = std::max(product, scores.magnitude[j]);
    bias = std::max(bias, scores.bias[j]);
  }
  const double scores_of_both = 2 * static_cast<double>(dim + 8) * (product + bias);
  return gamma(4 * (static_cast<double>(scores.size()) + 16) + scores_of_both, double_roundoff);
}

/// X_j, tau_j and the parts of tau_j, for weights, rescalings and reach that are known.
void find_errors(const RowScores& scores, const Numerics& numerics, index dim, RowWeights& row) {
  const Rescalings possible = possible_rescalings(scores, numerics);
  const Rescalings likely = likely_rescalings(scores, numerics, possible);
  row.rescalings = possible.total;
  row.merges = row_merges(scores, numerics, row.reach, row.distance);
  const Accumulator& sums = numerics.score.accumulator;
  const double roundings = score_chain(numerics.score, dim), chain = gamma(roundings, sums.roundoff);
  const double root_share = sums.roundoff * std::sqrt(roundings) / chain;
  const double drift_share = mean_of_truncation(sums) * roundings / chain;
  const bool rescales_parts = numerics.merge.merges() && !numerics.merge.divides_parts();
  const double argument = gamma(argument_roundings, std::max(numerics.weight.accumulator.roundoff,
                                                             rescales_parts ? numerics.merge.accumulator.roundoff : 0));
  const double exp_error = numerics.weight.exp_error;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double s = scores.score[j], p = row.share[j];
    // |s - m'|, m' a kernel's maximum: below s only if s is a sink that did not raise it.
    const double size = std::max(row.reach - s, s - row.largest_score + row.shortfall) + scores.error[j] + row.distance;
    const double merged = row.merges.exponent.empty() ? 0 : row.merges.exponent[j];
    const double always = scores.error[j] + argument * size + exp_error + merged;
    const double exponent = always + static_cast<double>(possible.later[j]) * exp_error;
    const double usual = always + static_cast<double>(likely.later[j]) * exp_error;
    // p (exp(x) - 1); for large x without 0 * infinity where p underflows and x does not.
    const double tau_p = exponent < 1 ? p * exponent * (1 + exponent) : std::exp(s - row.log_sum_exp + exponent) - p;
    // The excess over the linear part counts in full: the mean of a square does not vanish.
    const double beyond_linear = std::max(0.0, tau_p - p * exponent);
    row.exponent[j] = exponent;
    row.error[j] = tau_p;
    row.upper[j] = p + tau_p;
    row.chain[j] = p * scores.chain[j];
    row.chain_root[j] = row.chain[j] * root_share;
    row.stored[j] = p * scores.stored[j];
    row.systematic[j] = p * (usual - scores.chain[j] * (1 - drift_share) - scores.stored[j]) + beyond_linear;
    row.total_error += tau_p;
    if (p > 0) row.total_exponent += p * exponent;
  }
}

/// The mean of errors by entry, whatever a kernel's own weights are: at most p (1 + tau) / (1 - sum p tau), and what
/// summing those of a part makes of them.
double mean_error(const RowWeights& row, std::span<const double> errors, double summing) {
  double sum = 0, largest = 0;
  for (std::size_t j = 0; j < errors.size(); ++j) {
    if (!(row.upper[j] > 0)) continue;
    sum += row.upper[j] * errors[j];
    largest = std::max(largest, errors[j]);
  }
  const double kept = (1 - row.total_error) * (1 - summing);
  return row.total_error < 1 && summing < 1 ? std::min(largest, sum * (1 + summing) / kept) : largest;
}

/// A late correction has put log_sum_exp together once more, and multiplies each part by a factor of its own: both are
/// errors of a number that nothing divides by.
void find_late_errors(const Numerics& numerics, RowWeights& row) {
  if (!numerics.merge.divides_parts() || numerics.merge.form == MergeForm::sigmoid) return;
  const double summing = gamma(row.weight_sum.chain, numerics.weight.accumulator.roundoff);
  row.merged_log_error = row.merges.rounds * mean_error(row, row.merges.log_step, summing);
  std::vector<double> factors;
  for (const double exponent : row.merges.late) factors.push_back(std::expm1(exponent));
  row.late_factors = (1 + mean_error(row, factors, 0)) * std::exp(row.merged_log_error) - 1;
}

/// A weight may underflow if the least that a kernel may compute for it lies below the normal range: its own, or that
/// of the factors by which parts are rescaled.
void find_underflows(const RowScores& scores, const Numerics& numerics, RowWeights& row) {
  const WeightStage& weight = numerics.weight;
  const bool rescales_parts = numerics.merge.merges() && numerics.merge.form == MergeForm::rescaled_sums;
  const double of_factors = rescales_parts ? numerics.merge.accumulator.underflow : 0;
  row.factor_underflow = of_factors * row.merges.rounds;
  const double normal = std::max({normal_from(weight.cast), weight.accumulator.underflow, of_factors});
  const double least = std::log(normal) + row.above + (weight.normalised ? std::log(2 * row.denominator) : 0);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    row.may_underflow[j] = scores.score[j] - row.reach - row.exponent[j] <= least;
    row.underflows += row.may_underflow[j];
  }
}

}  // namespace

RowWeights row_weights(const RowScores& scores, const Numerics& numerics, index dim) {
  RowWeights row;
  const std::size_t n = scores.size();
  for (auto* list :
       {&row.share, &row.exponent, &row.error, &row.upper, &row.systematic, &row.chain, &row.chain_root, &row.stored})
    list->resize(n);
  row.may_underflow.resize(n);
  if (n == 0) return row;
  find_denominator(scores, numerics, row);
  find_reference(scores, numerics.weight, row);
  find_errors(scores, numerics, dim, row);
  find_underflows(scores, numerics, row);
  row.value_sum = roundings(scores, numerics, numerics.value.accumulator, row.rescalings);
  row.weight_sum = roundings(scores, numerics, numerics.weight.accumulator, row.rescalings);
  find_late_errors(numerics, row);
  row.evaluation_error = evaluation_error(scores, row, dim);
  return row;
}

}  // namespace attestone
