// SPDX-License-Identifier: Apache-2.0
// Scaling, capping and biasing one row of scores.
#include "backends/cpu/parts/score_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace attestone::inline backends {

ScoreRow::ScoreRow(const Problem& problem, const KernelInputs& inputs, index batch, index head, Base base)
    : batch_(batch),
      head_(head),
      unit_(base == Base::two ? std::numbers::log2e : 1),
      formula_(problem, inputs, batch, head, unit_) {
  const std::optional<double> cap = problem.score.softcap();
  capped_ = cap.has_value();
  if (capped_) before_tanh_ = static_cast<float>(problem.scale() / *cap);
  factor_ = static_cast<float>(capped_ ? *cap * unit_ : problem.scale() * unit_);
  if (inputs.bias) bias_.emplace(*inputs.bias);
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
  if (formula_) add_formula(scores, query, keys);
}

void ScoreRow::add_formula(float* scores, index query, Interval keys) const {
  const index position = formula_.position(query);
  const index* placed = formula_.key_positions(keys.first);
  const auto add = [&](auto key_position) {
    if (formula_.alibi_slope)
      for (index j = 0; j < keys.count(); ++j) {
        const auto distance = static_cast<double>(std::abs(position - key_position(j)));
        scores[j] = static_cast<float>(double{scores[j]} - *formula_.alibi_slope * distance);
      }
    if (formula_.relative_slope)
      for (index j = 0; j < keys.count(); ++j) {
        const auto distance = static_cast<double>(key_position(j) - position);
        scores[j] = static_cast<float>(double{scores[j]} + *formula_.relative_slope * distance);
      }
  };
  placed ? add([&](index j) { return placed[j]; }) : add([&](index j) { return keys.first + j; });
}

}  // namespace attestone::inline backends
