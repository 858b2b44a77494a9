// SPDX-License-Identifier: Apache-2.0
// The bounds of log_sum_exp (docs/tolerance.md, "log_sum_exp").
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "reference/error_bound/forward_row.hpp"
#include "reference/error_bound/windows.hpp"

namespace attestone {
namespace {

/// The maximum in natural units, where the exponentials took it in theirs: scale, product; log2 e, product, difference.
constexpr double maximum_roundings = 5;
constexpr double logarithm_roundings = 2;    ///< ln 2, and the product with it
constexpr double sum_of_both_roundings = 3;  ///< the addition; ln 2 and the product, if that comes last

}  // namespace

/// `weight_error` bounds sum p theta, `denominator` the relative error of the sum of the exponentials.
double ForwardRow::log_sum_exp_error(double weight_error, double denominator) const {
  if (!(weight_error < 1 && denominator < 1)) return infinity;
  const double u = numerics_.accumulator_roundoff;
  const double sum = -std::log1p(-weight_error) - std::log1p(-denominator);
  // A kernel's maximum m' may differ from m, and ln l changes by as much.
  const double shift = weights_.reach - weights_.largest_score + weights_.largest_error;
  const double maximum =
      gamma(maximum_roundings, u) * (std::abs(weights_.largest_score) + shift + weights_.evaluation_error);
  const double logarithm = gamma(logarithm_roundings, u) * (1 + numerics_.log_error) + numerics_.log_error;
  // Hardware promises an absolute error of log2 near 1; hence at least ln 2.
  const double size = std::max(std::log(weights_.denominator) + shift + sum, std::numbers::ln2);
  const double inexact = sum + maximum + logarithm * size;
  const double value = std::abs(weights_.log_sum_exp) + weights_.evaluation_error;  // itself in double
  const double error = inexact + gamma(sum_of_both_roundings, u) * (value + inexact);
  const double stored = error + numerics_.log_sum_exp_roundoff * (value + error) + numerics_.accumulator_underflow;
  return stored * (1 + weights_.evaluation_error);
}

double ForwardRow::log_sum_exp() const {
  if (scores_.size() == 0) return 0;
  if (!scores_.in_range) return infinity;
  return log_sum_exp_error(total_weight_error(),
                           gamma(weights_.sum_roundings, numerics_.accumulator_roundoff) + denominator_underflow());
}

double ForwardRow::log_sum_exp_probabilistic() const {
  if (scores_.size() == 0) return 0;
  if (!scores_.in_range) return infinity;
  const auto sum_of = [](const std::vector<double>& list) { return std::accumulate(list.begin(), list.end(), 0.0); };
  std::vector<Rounded> chain(scores_.size());
  for (std::size_t j = 0; j < chain.size(); ++j) chain[j] = {scores_.score[j], weights_.chain_root[j]};
  const double cast = total_weight_error() - weights_.total_error;
  const double weight_error = sum_of(weights_.systematic) + sum_of(weights_.stored) + cast +
                              std::min(sum_of(weights_.chain), windowed_quadrature(std::move(chain), score_window()));
  return std::min(log_sum_exp(), log_sum_exp_error(weight_error, denominator_error() + denominator_underflow()));
}

}  // namespace attestone
