// SPDX-License-Identifier: Apache-2.0
// Clearing what dropout drops.
#include "backends/cpu/parts/dropped_pairs.hpp"

#include <algorithm>
#include <iterator>

#include "backends/cpu/parts/philox.hpp"

namespace attestone::inline backends {

DroppedPairs::DroppedPairs(const Problem& problem, const Placement* placement)
    : placement_(placement),
      any_(problem.dropout > 0),
      factor_(1 / (1 - problem.dropout)),
      seed_(problem.seed),
      least_kept_(static_cast<std::uint32_t>(problem.dropout * 0x1p32)) {}

inline bool DroppedPairs::keeps(const Pair& pair) const {
  const auto word = [](index number) { return static_cast<std::uint32_t>(number); };
  return first_philox_word(seed_, {word(pair.batch), word(pair.head), word(pair.query), word(pair.key)}) >= least_kept_;
}

void DroppedPairs::clear(const Pair& first, float* values, index count) const {
  if (!any_) return;
  if (placement_) return clear_placed(first, 1, count, values, 1);
  for (index j = 0; j < count; ++j)
    values[j] = keeps({first.batch, first.head, first.query, first.key + j}) ? values[j] : 0.0f;
}

void DroppedPairs::clear_panel(const Pair& first, index keys, float* panel) const {
  if (!any_) return;
  if (placement_) return clear_placed(first, panel_queries, keys, panel, panel_queries);
  for (index j = 0; j < keys; ++j, panel += panel_queries)
    for (index i = 0; i < panel_queries; ++i)
      panel[i] = keeps({first.batch, first.head, first.query + i, first.key + j}) ? panel[i] : 0.0f;
}

/// Queries behind the sequence have no number, and no weight either.
void DroppedPairs::clear_placed(const Pair& first, index queries, index keys, float* values, index stride) const {
  const PlacedSequence& sequence = placement_->sequences[static_cast<std::size_t>(first.batch)];
  queries = std::min(queries, std::ssize(sequence.queries) - first.query);
  for (index j = 0; j < keys; ++j, values += stride)
    for (index i = 0; i < queries; ++i)
      if (!keeps(placement_->whole({first.batch, first.head, first.query + i, first.key + j}))) values[i] = 0;
}

}  // namespace attestone::inline backends
