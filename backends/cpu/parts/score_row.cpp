// SPDX-License-Identifier: Apache-2.0
// Scaling, capping and biasing one row of scores.
#include "backends/cpu/parts/score_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "reference/require.hpp"

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

ScoreRow::ScoreRow(const Problem& problem, const KernelInputs& inputs, index batch, index head, Base base)
    : batch_(batch),
      head_(head),
      shift_(problem.sequence(batch).keys - problem.sequence(batch).queries),
      unit_(base == Base::two ? std::numbers::log2e : 1) {
  const std::optional<double> cap = problem.score.softcap();
  capped_ = cap.has_value();
  if (capped_) before_tanh_ = static_cast<float>(problem.scale() / *cap);
  factor_ = static_cast<float>(capped_ ? *cap * unit_ : problem.scale() * unit_);
  if (inputs.bias) bias_.emplace(*inputs.bias);
  require(!unknown_rule(problem.score), "a kernel refuses biases that it does not know");
  const ScoreTerm* bias = problem.score.bias_formula();
  if (!bias) return;
  if (bias->rule == "alibi") alibi_slope_ = double{own_alibi_slope(head, problem.shape.heads)} * unit_;
  if (bias->rule == "relative_position") relative_slope_ = double{static_cast<float>(bias->argument)} * unit_;
}

std::optional<std::string> ScoreRow::unknown_rule(const Score& score) {
  const ScoreTerm* bias = score.bias_formula();
  if (!bias || bias->rule == "alibi" || bias->rule == "relative_position") return std::nullopt;
  return bias->rule;
}

const float* ScoreRow::biases(index query, Interval keys, float* buffer) const {
  if (!bias_) return nullptr;
  bias_->read(batch_, head_, query, keys, buffer);
  return buffer;
}

void ScoreRow::finish(float* scores, index query, Interval keys, const float* biases, float* slopes) const {
  const index count = keys.count();
  if (slopes) std::fill_n(slopes, count, 1.0f);
  if (capped_) {
    for (index j = 0; j < count; ++j) scores[j] = std::tanh(scores[j] * before_tanh_);
    if (slopes)
      for (index j = 0; j < count; ++j) slopes[j] -= scores[j] * scores[j];
  }
  for (index j = 0; j < count; ++j) scores[j] *= factor_;
  // Biases are added in double, so that the only rounding is that of the sum.
  if (biases)
    for (index j = 0; j < count; ++j) scores[j] = static_cast<float>(double{scores[j]} + double{biases[j]} * unit_);
  add_formula(scores, query, keys);
}

void ScoreRow::add_formula(float* scores, index query, Interval keys) const {
  const index position = query + shift_;
  if (alibi_slope_)
    for (index j = 0; j < keys.count(); ++j) {
      const auto distance = static_cast<double>(std::abs(position - (keys.first + j)));
      scores[j] = static_cast<float>(double{scores[j]} - *alibi_slope_ * distance);
    }
  if (relative_slope_)
    for (index j = 0; j < keys.count(); ++j) {
      const auto distance = static_cast<double>(keys.first + j - position);
      scores[j] = static_cast<float>(double{scores[j]} + *relative_slope_ * distance);
    }
}

}  // namespace attestone
