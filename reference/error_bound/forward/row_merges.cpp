// SPDX-License-Identifier: Apache-2.0
// Form by form: what is rescaled, stored, divided and added.
#include "reference/error_bound/forward/row_merges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/error_bound/forward/put_together.hpp"

namespace attestone {
namespace {

constexpr double argument_roundings = 2;  ///< a difference, and the product with log2 e
constexpr double division_roundings = 2;  ///< of a part by its denominator, or by a reciprocal
constexpr double softplus_roundings = 4;  ///< 1 + e; ln 2 and its product; log2 e
constexpr double sum_roundings = 3;       ///< of max + log1p: the addition; ln 2 and its product, if that comes last
/// sigmoid: x e^x / (1 + e^x)^2 < 1/4 of its argument's rounding, 1 + e, two of the quotient; the difference; the
/// product.
constexpr double sigmoid_roundings = 6;

/// The largest sizes of one entry's part.
struct Sizes {
  double maximum;      ///< |m| of a part with this entry
  double logarithm;    ///< |ln l| of it
  double log_sum_exp;  ///< |lse| of it
  double behind;       ///< how far lse of all parts may be ahead of its own
  double span;         ///< how far two parts may be apart
};

/// The number subtracted may be `distance` away from a part's maximum.
Sizes sizes_of(const RowScores& scores, std::size_t j, double reach, double least, double distance) {
  const double s = scores.score[j], error = scores.error[j], ln_n = std::log(static_cast<double>(scores.size()));
  const double largest = std::max(std::abs(reach), std::abs(s) + error);
  return {largest + distance, ln_n + std::numbers::ln2 + distance, largest + ln_n, reach + ln_n - s + error,
          reach + ln_n - least};
}

/// The lse of a part, as it is stored.
double part_error(const Numerics& numerics, const Sizes& size) {
  const LogSumExpSizes sizes{size.maximum, size.logarithm, size.log_sum_exp};
  const double error = put_together(numerics.output, sizes, 0);
  return error + numerics.merge.log_sum_exp_roundoff * (size.log_sum_exp + error) +
         numerics.output.accumulator.underflow;
}

/// The error of max + log1p(e^(min - max)).
double log_step(const MergeStage& merge, const Sizes& size) {
  const double u = merge.accumulator.roundoff;
  return gamma(softplus_roundings, u) * (1 + std::numbers::ln2) + merge.exp_error / 2 +
         merge.log_error * std::numbers::ln2 + gamma(sum_roundings, u) * size.log_sum_exp + merge.accumulator.underflow;
}

/// The largest errors of log_sum_exp in a row: of a part, and of one step but for what sigmoids add.
struct Largest {
  double part = 0, step = 0;
};

/// The further error of lse - logsigmoid(lse - lse_c). The larger one may come second: then its distance from the
/// first is rounded, and is what the logarithm returns. Both err already, by as much as this in every step before.
double distance_error(const MergeStage& merge, const RowMerges& row, double span, const Largest& largest) {
  const double share = gamma(argument_roundings, merge.accumulator.roundoff) + merge.log_error;
  const double before = 2 * (row.rounds - 1) * share;
  const double own = merge.exp_error / 2 + share * (span + std::numbers::ln2 + 2 * largest.part);
  return before < 1 ? (own + before * largest.step) / (1 - before) : infinity;
}

/// The error of e^(lse_s - lse), by which parts that are corrected late are multiplied.
double late_factor(const MergeStage& merge, const RowMerges& row, double behind, double part, const Largest& largest) {
  const double distance = behind + part + largest.part + row.rounds * largest.step;
  return merge.exp_error + gamma(argument_roundings, merge.accumulator.roundoff) * distance;
}

/// The error of a part with this entry, by rescaling it.
double rescaling(const MergeStage& merge, const RowMerges& row, const Sizes& size) {
  const double factors = merge.form == MergeForm::rescaled_sums ? row.rounds * merge.exp_error : 0;
  return merge.log_sum_exp_roundoff * size.maximum + factors;
}

/// Parts that are merged by their log_sum_exp.
void find_errors_of_divided(const Numerics& numerics, const std::vector<Sizes>& sizes, RowMerges& row) {
  const MergeStage& merge = numerics.merge;
  const bool late = merge.form == MergeForm::late_correction;
  Largest largest;
  for (const Sizes& size : sizes) {
    row.exponent.push_back(part_error(numerics, size));
    row.log_step.push_back(log_step(merge, size));
    largest = {std::max(largest.part, row.exponent.back()), std::max(largest.step, row.log_step.back())};
  }
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const double part = row.exponent[j];
    row.late.push_back(late ? late_factor(merge, row, sizes[j].behind, part, largest) : 0);
    if (!late) row.log_step[j] += distance_error(merge, row, sizes[j].span, largest);
    row.exponent[j] += late ? row.late[j] : row.rounds * row.log_step[j];
  }
}

void count_roundings(const Numerics& numerics, RowMerges& row) {
  const MergeStage& merge = numerics.merge;
  const double u = merge.accumulator.roundoff, additions = roundings_of_sum(row.parts - 1, merge.accumulator.truncates);
  const double divided = gamma(division_roundings, numerics.output.accumulator.roundoff);
  row.stored = merge.out.roundoff;
  switch (merge.form) {
    case MergeForm::none:
      break;
    case MergeForm::shared_maximum:
    case MergeForm::rescaled_sums: {
      const double products = merge.form == MergeForm::rescaled_sums ? row.rounds : 0;
      row.numerator = gamma(additions + products, u);
      row.denominator = (1 + merge.log_sum_exp_roundoff) * (1 + row.numerator) - 1;
      break;
    }
    case MergeForm::late_correction:
      row.numerator = (1 + divided) * (1 + gamma(additions + 1, u)) - 1;
      break;
    case MergeForm::sigmoid:
      row.numerator = divided;
      row.difference = row.rounds * (gamma(sigmoid_roundings, u) + merge.exp_error / 4);
      row.subtraction = row.rounds * gamma(1, u);
      break;
  }
}

}  // namespace

RowMerges row_merges(const RowScores& scores, const Numerics& numerics, double reach, double distance) {
  RowMerges row;
  if (!numerics.merge.merges() || scores.size() == 0) return row;
  const double n = static_cast<double>(scores.size()), sink = scores.has_sink() ? 1 : 0;
  row.parts = std::min(static_cast<double>(numerics.merge.parts) + sink, n);
  row.rounds = std::min(static_cast<double>(numerics.merge.rounds()) + sink, row.parts - 1);
  double least = reach;
  for (std::size_t j = 0; j < scores.size(); ++j) least = std::min(least, scores.score[j] - scores.error[j]);
  std::vector<Sizes> sizes;
  for (std::size_t j = 0; j < scores.size(); ++j) sizes.push_back(sizes_of(scores, j, reach, least, distance));
  if (numerics.merge.divides_parts())
    find_errors_of_divided(numerics, sizes, row);
  else
    for (const Sizes& size : sizes) row.exponent.push_back(rescaling(numerics.merge, row, size));
  count_roundings(numerics, row);
  return row;
}

}  // namespace attestone
