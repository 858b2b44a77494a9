// SPDX-License-Identifier: Apache-2.0
// The bounds of log_sum_exp (docs/tolerance.md, "log_sum_exp").
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/forward/put_together.hpp"
#include "reference/error_bound/windows.hpp"

namespace attestone {
namespace {

double sum_of(std::span<const double> list) { return std::accumulate(list.begin(), list.end(), 0.0); }

}  // namespace

/// `exponentials` bounds the error of ln l that the exponentials make, `denominator` the relative error of their sum.
double ForwardRow::log_sum_exp_error(double exponentials, double denominator) const {
  if (!(denominator < 1)) return infinity;
  const double sum = exponentials - std::log1p(-denominator);
  // A kernel's maximum m' may differ from m, and ln l changes by as much.
  const double shift = weights_.reach - weights_.largest_score + weights_.shortfall + weights_.distance;
  const double value = std::abs(weights_.log_sum_exp) + weights_.evaluation_error;  // itself in double
  const LogSumExpSizes sizes{std::abs(weights_.largest_score) + shift + weights_.evaluation_error,
                             std::max(std::log(weights_.denominator) + shift + sum, std::numbers::ln2), value};
  // Merged parts have their own, which is put together already, and part of `exponentials`.
  const double error =
      numerics_.merge.divides_parts() ? sum + weights_.merged_log_error : put_together(numerics_.output, sizes, sum);
  const double stored =
      error + numerics_.output.log_sum_exp_roundoff * (value + error) + numerics_.output.accumulator.underflow;
  const double bound = stored * (1 + weights_.evaluation_error);
  return scores_.in_range && bound < infinity ? bound : infinity;
}

/// A cast of the weights that the denominator sums, as an error of ln l.
double ForwardRow::log_of_cast() const {
  return numerics_.weight.denominator_sums_cast ? -std::log1p(-numerics_.weight.cast.roundoff) : 0;
}

/// A relative error -e of an exponential is an x of at least -e / (1 - e).
double ForwardRow::below(double exponent) const {
  const double merging = numerics_.merge.merges() ? numerics_.merge.exp_error : 0;
  const double error = std::max(numerics_.weight.exp_error, merging);
  return error < 1 ? exponent / (1 - error) : infinity;
}

/// sum p exp(x) lies between exp(sum p x), by Jensen's inequality, and sum p exp(X).
double ForwardRow::log_sum_exp() const {
  if (scores_.size() == 0) return 0;
  const double above = std::log1p(weights_.total_error);
  return log_sum_exp_error(std::max(above, below(weights_.total_exponent)) + log_of_cast(),
                           once_.denominator_chain + once_.denominator_underflow);
}

/// The sum of the exponentials' errors; those of the additions in q.k add up to `chain` or less.
double ForwardRow::likely_exponentials(double chain) const {
  return sum_of(weights_.systematic) + sum_of(weights_.stored) + std::min(sum_of(weights_.chain), chain);
}

double ForwardRow::log_sum_exp_probabilistic() const {
  if (scores_.size() == 0) return 0;
  std::vector<Rounded> chain(scores_.size());
  for (std::size_t j = 0; j < chain.size(); ++j) chain[rank()[j]] = {scores_.score[j], weights_.chain_root[j]};
  const double exponentials = likely_exponentials(windowed_quadrature(std::move(chain), once_.score_window));
  return std::min(log_sum_exp(), log_sum_exp_error(below(exponentials) + log_of_cast(),
                                                   likely_denominator_error() + once_.denominator_underflow));
}

/// Blind quadrature for the additions in q.k, and what is deterministic anyway; less a margin, as for O.
double ForwardRow::log_sum_exp_probabilistic_at_least() const {
  const double margin = weights_.evaluation_error;
  if (scores_.size() == 0 || !(margin < 1)) return 0;
  double squares = 0;
  for (const double root : weights_.chain_root) squares += root * root;
  const double exponentials = likely_exponentials(lambda * std::sqrt(squares));
  const double error =
      log_sum_exp_error(below(exponentials) + log_of_cast(), weights_.merges.denominator + once_.denominator_underflow);
  return std::min(log_sum_exp(), error * (1 - margin) / (1 + margin));
}

}  // namespace attestone
