// SPDX-License-Identifier: Apache-2.0
// Clearing what dropout drops.
#include "backends/cpu/parts/dropped_pairs.hpp"

#include "backends/cpu/parts/philox.hpp"

namespace attestone {

DroppedPairs::DroppedPairs(const Problem& problem)
    : any_(problem.dropout > 0),
      factor_(1 / (1 - problem.dropout)),
      seed_(problem.seed),
      least_kept_(static_cast<std::uint32_t>(problem.dropout * 0x1p32)) {}

inline bool DroppedPairs::keeps(const Pair& pair) const {
  const auto word = [](index number) { return static_cast<std::uint32_t>(number); };
  return first_philox_word(seed_, {word(pair.batch), word(pair.head), word(pair.query), word(pair.key)}) >= least_kept_;
}

void DroppedPairs::clear(const Pair& first, float* values, index count) const {
  if (!any_) return;
  for (index j = 0; j < count; ++j)
    values[j] = keeps({first.batch, first.head, first.query, first.key + j}) ? values[j] : 0.0f;
}

void DroppedPairs::clear_panel(const Pair& first, index keys, float* panel) const {
  if (!any_) return;
  for (index j = 0; j < keys; ++j, panel += panel_queries)
    for (index i = 0; i < panel_queries; ++i)
      panel[i] = keeps({first.batch, first.head, first.query + i, first.key + j}) ? panel[i] : 0.0f;
}

}  // namespace attestone
