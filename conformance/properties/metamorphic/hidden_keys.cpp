// SPDX-License-Identifier: Apache-2.0
// Choosing queries, and poisoning what they may not see.
#include "conformance/properties/metamorphic/hidden_keys.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace attestone::inline conformance {

bool seen_in_some_head(const Problem& problem, const VisiblePairs& visible, const PartlyBlindQuery& at, index key) {
  for (index h = 0; h < problem.shape.heads; ++h)
    if (visible({at.batch, h, at.query, key})) return true;
  return false;
}

std::vector<PartlyBlindQuery> partly_blind_queries(const Problem& problem, const VisiblePairs& visible) {
  std::vector<PartlyBlindQuery> chosen;
  for (index b = 0; b < problem.shape.batch; ++b) {
    std::vector<index> partial;
    for (index i = 0; i < problem.shape.queries; ++i) {
      index count = 0;
      for (index j = 0; j < problem.shape.keys; ++j) count += seen_in_some_head(problem, visible, {b, i}, j);
      if (count > 0 && count < problem.shape.keys) partial.push_back(i);
    }
    if (partial.empty()) continue;
    for (const index i : std::set<index>{partial.front(), partial[partial.size() / 2], partial.back()})
      chosen.push_back({b, i});
  }
  return chosen;
}

bool has_partly_blind_query(const Problem& problem) {
  if (!problem.mask.is_full()) return !partly_blind_queries(problem, VisiblePairs(problem)).empty();
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Sequence own = problem.sequence(b);
    if (own.queries > 0 && own.keys > 0 && own.keys < problem.shape.keys) return true;
  }
  return false;
}

std::string HiddenPoison::text() const {
  if (std::isnan(key) && std::isnan(value)) return "NaN";
  return key == value ? fmt::format("{}", key) : fmt::format("{:.3g} in K and {:.3g} in V", key, value);
}

HiddenPoison finite_poison(const Problem& problem) {
  return {finite_poison_of_gradients(problem).key, problem.input.largest()};
}

HiddenPoison finite_poison_of_gradients(const Problem& problem) {
  const double number = std::min(0x1p100, problem.input.largest());
  return {number, number};
}

Inputs with_poison_behind(const Problem& problem, Inputs inputs, const VisiblePairs& visible,
                          const PartlyBlindQuery& at, const HiddenPoison& poison) {
  for (const auto& [tensor, number] :
       {std::pair(inputs.key.view(), poison.key), std::pair(inputs.value.view(), poison.value)})
    for (index h = 0; h < problem.shape.kv_heads; ++h)
      for (index j = 0; j < tensor.rows(at.batch); ++j) {
        if (seen_in_some_head(problem, visible, at, j)) continue;
        for (index c = 0; c < tensor.extents()[3]; ++c) tensor.set(at.batch, h, j, c, number);
      }
  return inputs;
}

}  // namespace attestone::inline conformance
