// SPDX-License-Identifier: Apache-2.0
// Keys that a row may not see, poisoned.
#include <fmt/format.h>
#include <limits>
#include <set>

#include "conformance/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

/// A query that no head lets see all keys; the keys that it does not see in any head are poisoned.
struct Chosen {
  index batch, query;
};

/// Whether the query sees the key in some head.
bool seen(const Problem& problem, const VisiblePairs& visible, index batch, index query, index key) {
  for (index h = 0; h < problem.shape.heads; ++h)
    if (visible({batch, h, query, key})) return true;
  return false;
}

bool sees_some(const Problem& problem, const VisiblePairs& visible, index batch, index query) {
  index count = 0;
  for (index j = 0; j < problem.shape.keys; ++j) count += seen(problem, visible, batch, query, j);
  return count > 0 && count < problem.shape.keys;
}

/// The first, the middle and the last row of each sequence that sees only some of its keys.
std::vector<Chosen> chosen_rows(const Problem& problem, const VisiblePairs& visibility) {
  std::vector<Chosen> chosen;
  for (index b = 0; b < problem.shape.batch; ++b) {
    std::vector<index> partial;
    for (index i = 0; i < problem.shape.queries; ++i)
      if (sees_some(problem, visibility, b, i)) partial.push_back(i);
    if (partial.empty()) continue;
    for (const index i : std::set<index>{partial.front(), partial[partial.size() / 2], partial.back()})
      chosen.push_back({b, i});
  }
  return chosen;
}

std::string inapplicable(const Problem& problem) {
  return chosen_rows(problem, VisiblePairs(problem)).empty() ? "no row sees some keys but not others" : "";
}

/// K and V replaced at every key that the chosen row does not see.
Inputs with_poison(const Problem& problem, Inputs inputs, const VisiblePairs& visibility, const Chosen& row,
                   double poison) {
  for (const View& tensor : {inputs.key.view(), inputs.value.view()})
    for (index h = 0; h < problem.shape.kv_heads; ++h)
      for (index j = 0; j < tensor.rows(row.batch); ++j) {
        if (seen(problem, visibility, row.batch, row.query, j)) continue;
        for (index c = 0; c < tensor.extents()[3]; ++c) tensor.set(row.batch, h, j, c, poison);
      }
  return inputs;
}

/// Whether every key that row `query` sees is also seen by the chosen row, so that no poison concerns it.
bool sees_no_poison(const Problem& problem, const VisiblePairs& visibility, const Chosen& chosen, index query) {
  for (index j = 0; j < problem.shape.keys; ++j)
    if (seen(problem, visibility, chosen.batch, query, j) && !seen(problem, visibility, chosen.batch, chosen.query, j))
      return false;
  return true;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visibility(problem);
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  bool conclusive = false;
  for (const Chosen& chosen : chosen_rows(problem, visibility)) {
    std::vector<bool> unconcerned;
    for (index i = 0; i < problem.shape.queries; ++i)
      unconcerned.push_back(sees_no_poison(problem, visibility, chosen, i));
    const auto compared = [&](index b, index, index i) {
      return b == chosen.batch && unconcerned[static_cast<std::size_t>(i)];
    };
    const Comparison plain = trial.compare_with_truth(trial.answer().outputs, compared);
    for (const double poison : {nan, infinity, problem.input.largest()}) {
      const KernelAnswer answer = trial.run(with_poison(problem, trial.inputs(), visibility, chosen, poison));
      const Verdict verdict =
          metamorphic(plain, trial.compare_with_truth(answer.outputs, compared), "invisible-key",
                      fmt::format("with {} in the keys that query {} may not see", poison, chosen.query));
      conclusive = conclusive || verdict.outcome == Outcome::passed;
      if (verdict.outcome == Outcome::failed) return verdict;
    }
  }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
}

const Registration<Property> registered{{
    .name = "invisible_keys_ignored",
    .claim = "what K and V hold at keys that a row may not see, NaN and infinity included, changes nothing in that row",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
