// SPDX-License-Identifier: Apache-2.0
// Scaling, capping and biasing one row of scores.
#include "backends/cpu/score_row.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace attestone {

float own_alibi_slope(index head, index heads) {
  // The paper's geometric sequence starts at 2^(-8/n) with that same ratio, for the largest power of two n <= heads.
  // Further heads take every second term of the sequence for 2n: ratio 2^(-4/n), powers 1, 3, 5, ...
  index n = 1;
  while (2 * n <= heads) n *= 2;
  const bool further = head >= n;
  const double ratio = std::exp2((further ? -4.0 : -8.0) / static_cast<double>(n));
  const index power = further ? 2 * (head - n) + 1 : head + 1;
  return static_cast<float>(std::pow(ratio, static_cast<double>(power)));
}

ScoreRow::ScoreRow(const Problem& problem, index head, Base base) {
  const double unit = base == Base::two ? std::numbers::log2e : 1;
  const std::optional<double> cap = problem.score.softcap();
  capped_ = cap.has_value();
  if (capped_) before_tanh_ = static_cast<float>(problem.scale() / *cap);
  factor_ = static_cast<float>(capped_ ? *cap * unit : problem.scale() * unit);
  if (problem.score.has("alibi")) slope_ = double{own_alibi_slope(head, problem.shape.heads)} * unit;
}

void ScoreRow::finish(float* scores, index count, index position, index first_key) const {
  if (capped_)
    for (index j = 0; j < count; ++j) scores[j] = std::tanh(scores[j] * before_tanh_);
  for (index j = 0; j < count; ++j) scores[j] *= factor_;
  if (!slope_) return;
  // In double, so that the only rounding is that of the sum.
  for (index j = 0; j < count; ++j) {
    const double distance = static_cast<double>(std::abs(position - (first_key + j)));
    scores[j] = static_cast<float>(double{scores[j]} - *slope_ * distance);
  }
}

}  // namespace attestone
