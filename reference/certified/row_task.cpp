// SPDX-License-Identifier: Apache-2.0
// The keys and magnitudes of one row.
#include "reference/certified/row_task.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {

std::vector<index> RowTask::keys() const {
  std::vector<index> keys;
  for (index key = 0; key < problem->shape.keys; ++key)
    if (bit(visible, key)) keys.push_back(key);
  return keys;
}

RowMagnitudes RowTask::magnitudes(std::span<const index> keys) const {
  RowMagnitudes m;
  double key_norm = 0;
  for (const index key : keys) {
    key_norm = std::max(key_norm, head->key_norm[static_cast<std::size_t>(key)]);
    m.value_peak = std::max(m.value_peak, head->value_peak[static_cast<std::size_t>(key)]);
    m.biased = std::max(m.biased, problem->score.has_bias() ? std::fabs(bias(key)) : 0);
  }
  const double scale = std::fabs(problem->scale());
  m.raw_score = scale * (vector_facts(query_values).norm * key_norm);
  const double cap = problem->score.softcap().value_or(m.raw_score);
  m.capped = std::min(m.raw_score, cap);
  if (problem->score.has_bias()) m.biased += m.capped;
  if (sink) m.biased = std::max(m.biased, std::fabs(*sink));
  m.value_factor = Dropout(*problem).factor();
  m.terms = static_cast<double>(2 * keys.size() + 1);
  m.score_terms = static_cast<double>(head->dim + 2) * std::max({1.0, scale, cap});
  return m;
}

void RowAnswer::admit(index channel, const std::vector<double>& answers) const {
#pragma omp critical(attestone_admit)
  truth->admit(batch, head, row, channel, answers);
}

}  // namespace attestone
