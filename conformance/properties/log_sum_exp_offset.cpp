// SPDX-License-Identifier: Apache-2.0
// Adding up the errors of log_sum_exp, and what they may add up to.
#include "conformance/properties/log_sum_exp_offset.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "conformance/properties/tensor_part.hpp"
#include "reference/error_bound/windows.hpp"

namespace attestone::inline conformance {
namespace {

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

}  // namespace

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

}  // namespace attestone::inline conformance
