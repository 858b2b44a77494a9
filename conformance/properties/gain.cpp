// SPDX-License-Identifier: Apache-2.0
// Errors that single elements cannot show: all of them leaning the same way, in all of O or log_sum_exp, or in a part.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "conformance/properties/gain_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/properties/tensor_part.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/trial/trial.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/error_bound/windows.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr AxisNames axes{"batch", "head", "query", "channel"};

std::string inapplicable(const Problem& problem) { return has_visible_pair(problem) ? "" : "no query sees a key"; }

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// One row of O beside the truth.
struct AnsweredRow {
  std::size_t place;
  std::vector<double> truth, answer;
};

/// All rows that see a key, but for those in which something is not finite or whose bound says nothing.
std::vector<AnsweredRow> answered_rows(Trial& trial) {
  const ConstView out = trial.answer().outputs.out.view();
  std::vector<AnsweredRow> rows;
  for (std::size_t place = 0; place < trial.bounds().places().size(); ++place) {
    const auto& [b, h, row, query] = trial.bounds().places()[place];
    if (query >= out.rows(b) || trial.bounds().row(place).visible_keys == 0) continue;
    AnsweredRow here{place, {}, {}};
    std::vector<double> bound;
    for (index c = 0; c < out.extents()[3]; ++c) {
      here.truth.push_back(trial.truth().out(b, h, row, c).value);
      here.answer.push_back(out.value(b, h, query, c));
      bound.push_back(trial.bounds().deterministic(place, c));
    }
    if (all_finite(here.truth) && all_finite(here.answer) && all_finite(bound)) rows.push_back(std::move(here));
  }
  return rows;
}

Extents place_of(Trial& trial, const AnsweredRow& row, index channel) {
  const RowPlace& at = trial.bounds().places()[row.place];
  return {at.batch, at.head, at.query, channel};
}

Gain gain_of(Trial& trial, const std::vector<AnsweredRow>& rows, const TensorPart& part) {
  Gain gain;
  for (const AnsweredRow& row : rows) {
    std::vector<double> direction = row.truth;
    for (std::size_t c = 0; c < direction.size(); ++c)
      if (!part.holds(place_of(trial, row, static_cast<index>(c)))) direction[c] = 0;
    if (std::ranges::all_of(direction, [](double x) { return x == 0; })) continue;
    gain.add(row.truth, row.answer, direction, trial.bounds().bound_of_row(row.place).gain_terms(direction));
  }
  return gain;
}

/// The mean of the errors, in units of the mean size of the truth.
Gain mean_of(Trial& trial, const std::vector<AnsweredRow>& rows) {
  Gain gain;
  for (const AnsweredRow& row : rows) {
    const std::vector<double> direction(row.truth.size(), 1.0);
    gain.add(row.truth, row.answer, direction, trial.bounds().bound_of_row(row.place).gain_terms(direction));
  }
  return gain;
}

std::vector<TensorPart> suspects(Trial& trial, const std::vector<AnsweredRow>& rows) {
  PartScan scan(trial.answer().outputs.out.view().extents(), trial.numerics().output.cast.roundoff);
  for (const AnsweredRow& row : rows)
    for (std::size_t c = 0; c < row.truth.size(); ++c)
      scan.add(place_of(trial, row, static_cast<index>(c)), row.truth[c], row.answer[c]);
  return scan.suspects();
}

/// Rows of one part.
struct OffsetSums {
  double error = 0, at_worst = 0;
  std::vector<Rounded> stored;  ///< what storing each log_sum_exp rounds

  double bound(double roundoff) const {
    double sum = 0;
    for (const Rounded& each : stored) sum += each.error;
    return at_worst + windowed_sum(sum, stored, 2 * roundoff / windows_per_cell);
  }
};

Verdict judged(const OffsetSums& sums, const TensorPart& part, double roundoff) {
  const double bound = sums.bound(roundoff), count = static_cast<double>(sums.stored.size());
  if (!(std::abs(sums.error) > bound)) return Verdict::passed();
  return Verdict::failed(
      "wrong-log-sum-exp",
      fmt::format("log_sum_exp is off by {:.3g} on average {}; rounding explains {:.2g}", sums.error / count,
                  part.text({"batch", "head", "query", "channel"}), bound / count));
}

/// Failed if log_sum_exp is further off on average than rounding explains: on the whole, in a head or in a block of
/// rows. Only the rounding of what is stored averages out, so the bound is a little less than the mean of the bounds of
/// the rows. Passed if there is nothing to compare.
Verdict log_sum_exp_offset(Trial& trial) {
  if (!trial.conventions().has_log_sum_exp()) return Verdict::passed();
  const ConstView got = trial.answer().outputs.log_sum_exp.view();
  if (!got.exists()) return Verdict::passed();
  const double unit = trial.conventions().log_sum_exp_unit();
  const double roundoff = trial.numerics().output.log_sum_exp_roundoff;
  constexpr index rows = PartScan::block_rows;
  OffsetSums whole;
  std::map<index, OffsetSums> heads, blocks;
  for (std::size_t place = 0; place < trial.bounds().places().size(); ++place) {
    const auto& [b, h, row, query] = trial.bounds().places()[place];
    if (query >= got.rows(b) || trial.bounds().row(place).visible_keys == 0) continue;
    const Certified& truth = trial.truth().log_sum_exp(b, h, row);
    const double answer = unit * got.value(b, h, query, 0), error = answer - truth.value;
    // Codes may lead far away from the truth: what is stored there is rounded, and belongs to the bound.
    const double size = std::min(std::abs(answer), std::abs(truth.value)), stored = roundoff * size;
    const double others = trial.bounds().deterministic(place, log_sum_exp_channel) + truth.bound - stored;
    if (!std::isfinite(error) || !std::isfinite(others)) continue;
    for (OffsetSums* part : {&whole, &heads[h], &blocks[query / rows]}) {
      part->error += error, part->at_worst += others;
      part->stored.push_back({std::log(size), stored});
    }
  }
  if (const Verdict verdict = judged(whole, {}, roundoff); verdict.outcome == Outcome::failed) return verdict;
  for (const auto& [head, sums] : heads)
    if (const Verdict verdict = judged(sums, {1, head, head}, roundoff); verdict.outcome == Outcome::failed)
      return verdict;
  for (const auto& [block, sums] : blocks)
    if (const Verdict verdict = judged(sums, {2, block * rows, block * rows + rows - 1}, roundoff);
        verdict.outcome == Outcome::failed)
      return verdict;
  return Verdict::passed();
}

Verdict check(Trial& trial) {
  trial.answer();
  trial.bounds();
  const Stopwatch watch(trial.times.truth);
  const std::vector<AnsweredRow> rows = answered_rows(trial);
  const Gain whole = gain_of(trial, rows, {});
  Verdict verdict = gain_verdict("O", "on the whole", whole, "an all-zero answer would pass");
  if (verdict.outcome != Outcome::failed && rounds_to_narrow_formats(trial.numerics()))
    for (const TensorPart& part : suspects(trial, rows)) {
      const Verdict of_part = gain_verdict("O", part.text(axes), gain_of(trial, rows, part), "");
      if (of_part.outcome == Outcome::failed) verdict = of_part;
    }
  if (verdict.outcome != Outcome::failed)
    if (const Verdict offset = log_sum_exp_offset(trial); offset.outcome == Outcome::failed) verdict = offset;
  if (errors_are_a_sample(trial.problem(), trial.numerics())) {
    note_deviation(verdict, "gain of out", whole);
    note_deviation(verdict, "mean error of out", mean_of(trial, rows));
  }
  return verdict;
}

const Registration<Property> registered{{
    .name = "gain",
    .claim =
        "the answer is the truth times 1, on the whole and in each head, block of rows and channel: no factor runs "
        "through it, and no offset through log_sum_exp",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
