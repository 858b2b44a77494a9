// SPDX-License-Identifier: Apache-2.0
// The keys and magnitudes of one row.
#include "reference/certified/forward/row_task.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace attestone {
namespace {

/// x <= 2^this for x >= 0; the norm of a vector may be infinite though its elements are not.
int exponent_above(double x, index elements) {
  constexpr int of_largest = std::numeric_limits<double>::max_exponent;
  if (x == 0) return -2 * of_largest;
  return std::isfinite(x) ? std::ilogb(x) + 1 : of_largest + std::ilogb(static_cast<double>(elements)) + 1;
}

}  // namespace

std::vector<index> RowTask::keys() const {
  std::vector<index> keys;
  for (index key = 0; key < problem->shape.keys; ++key)
    if (bit(visible, key)) keys.push_back(key);
  return keys;
}

RowMagnitudes RowTask::magnitudes(std::span<const index> keys, double smallest_score) const {
  RowMagnitudes m;
  double key_norm = 0;
  for (const index key : keys) {
    key_norm = std::max(key_norm, head->key_norm[static_cast<std::size_t>(key)]);
    m.value_peak = std::max(m.value_peak, head->value_peak[static_cast<std::size_t>(key)]);
  }
  const double scale = std::fabs(problem->scale());
  m.raw_score = scale * (vector_facts(query_values).norm * key_norm);
  const double cap = problem->score.softcap().value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  if (problem->score.has_bias())
    for (const index key : keys)
      if (const double b = bias(key); b + m.capped >= smallest_score)
        m.biased = std::max(m.biased, std::fabs(b) + m.capped);
  if (sink && *sink >= smallest_score) m.biased = std::max(m.biased, std::fabs(*sink));
  m.value_factor = Dropout(*problem).factor();
  m.terms = static_cast<double>(2 * keys.size() + 1);
  m.score_terms = static_cast<double>(head->dim + 2) * std::max({1.0, scale, cap});
  return m;
}

int RowTask::score_exponent(std::span<const index> keys) const {
  double key_norm = 0, logit = sink ? std::fabs(*sink) : 0;
  for (const index key : keys) {
    key_norm = std::max(key_norm, head->key_norm[static_cast<std::size_t>(key)]);
    if (problem->score.has_bias()) logit = std::max(logit, std::fabs(bias(key)));
  }
  if (!infinite_scores.empty()) logit = std::max(logit, problem->score.softcap().value_or(0));
  const int raw = exponent_above(std::fabs(problem->scale()), 1) +
                  exponent_above(vector_facts(query_values).norm, head->dim) + exponent_above(key_norm, head->dim);
  return std::max({raw, exponent_above(logit, 1), 0}) + 1;  // and the sum of both
}

void RowAnswer::admit(index channel, const std::vector<double>& answers) const {
  static std::mutex admitting;
  const std::lock_guard lock(admitting);
  truth->admit(batch, head, row, channel, answers);
}

}  // namespace attestone
