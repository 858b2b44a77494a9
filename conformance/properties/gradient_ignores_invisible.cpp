// SPDX-License-Identifier: Apache-2.0
// Gradients and keys that nobody may see.
#include <fmt/format.h>
#include <limits>

#include "conformance/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

/// Query `query` of every head of sequence `batch`: the keys that none of them sees are poisoned.
struct Chosen {
  index batch, query;
};

bool seen(const Problem& problem, const VisiblePairs& visible, const Chosen& row, index key) {
  for (index h = 0; h < problem.shape.heads; ++h)
    if (visible({row.batch, h, row.query, key})) return true;
  return false;
}

/// The first and the last query of each sequence that see only some of its keys.
std::vector<Chosen> chosen_rows(const Problem& problem, const VisiblePairs& visible) {
  std::vector<Chosen> chosen;
  for (index b = 0; b < problem.shape.batch; ++b) {
    std::optional<Chosen> first, last;
    for (index i = 0; i < problem.shape.queries; ++i) {
      index count = 0;
      for (index j = 0; j < problem.shape.keys; ++j) count += seen(problem, visible, {b, i}, j);
      if (count == 0 || count == problem.shape.keys) continue;
      if (!first) first = {b, i};
      last = {b, i};
    }
    if (first) chosen.push_back(*first);
    if (last && last->query != first->query) chosen.push_back(*last);
  }
  return chosen;
}

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  return chosen_rows(problem, VisiblePairs(problem)).empty() ? "no row sees some keys but not others" : "";
}

Inputs with_poison(const Problem& problem, Inputs inputs, const VisiblePairs& visible, const Chosen& row) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const View& tensor : {inputs.key.view(), inputs.value.view()})
    for (index h = 0; h < problem.shape.kv_heads; ++h)
      for (index j = 0; j < tensor.rows(row.batch); ++j) {
        if (seen(problem, visible, row, j)) continue;
        for (index c = 0; c < tensor.extents()[3]; ++c) tensor.set(row.batch, h, j, c, nan);
      }
  return inputs;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visible(problem);
  bool conclusive = false;
  for (const Chosen& row : chosen_rows(problem, visible)) {
    const auto compared = [&](Role role, index b, index, index i) {
      return role == Role::query && b == row.batch && i == row.query;
    };
    const Inputs inputs = with_poison(problem, trial.inputs(), visible, row);
    const GradientAnswer answer = trial.backward().run(inputs, trial.run(inputs).outputs);
    const Verdict verdict =
        metamorphic(trial.backward().compare_with_truth(trial.backward().answer().gradients, compared),
                    trial.backward().compare_with_truth(answer.gradients, compared), "invisible-key",
                    fmt::format("with NaN in the keys that query {} may not see", row.query));
    conclusive = conclusive || verdict.outcome == Outcome::passed;
    if (verdict.outcome == Outcome::failed) return verdict;
  }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
}

const Registration<Property> registered{{
    .name = "gradient_ignores_invisible",
    .claim = "NaN in keys and values that a query may not see leaves its row of dQ what it was",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
