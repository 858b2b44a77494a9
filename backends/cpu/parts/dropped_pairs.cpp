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

void DroppedPairs::clear(const Pair& first, float* values, index count) const {
  if (!any_) return;
  const auto batch = static_cast<std::uint32_t>(first.batch), head = static_cast<std::uint32_t>(first.head),
             query = static_cast<std::uint32_t>(first.query), key = static_cast<std::uint32_t>(first.key);
  for (index j = 0; j < count; ++j) {
    const std::uint32_t word = first_philox_word(seed_, {batch, head, query, key + static_cast<std::uint32_t>(j)});
    values[j] = word >= least_kept_ ? values[j] : 0.0f;
  }
}

}  // namespace attestone
