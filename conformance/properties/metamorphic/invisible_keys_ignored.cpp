// SPDX-License-Identifier: Apache-2.0
// Keys that a row may not see, poisoned.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/metamorphic/hidden_keys.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  return has_partly_blind_query(problem) ? "" : "no row sees some keys but not others";
}

/// True if every key that row `query` sees is also seen by the chosen row, so that no poison concerns it.
bool sees_no_poison(const Problem& problem, const VisiblePairs& visibility, const PartlyBlindQuery& chosen,
                    index query) {
  for (index j = 0; j < problem.shape.keys; ++j)
    if (seen_in_some_head(problem, visibility, {chosen.batch, query}, j) &&
        !seen_in_some_head(problem, visibility, chosen, j))
      return false;
  return true;
}

/// By its conventions NaN and infinities may spread in some kernels: these are asked about numbers only.
std::vector<HiddenPoison> poisons(const Problem& problem, const Conventions& conventions) {
  if (conventions.hidden_nonfinite == HiddenNonfinite::propagates) return {finite_poison(problem)};
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double largest = problem.input.largest();
  return {{nan, nan}, {infinity, infinity}, {largest, largest}};
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visibility(problem);
  bool conclusive = false;
  for (const PartlyBlindQuery& chosen : partly_blind_queries(problem, visibility)) {
    std::vector<bool> unconcerned;
    for (index i = 0; i < problem.shape.queries; ++i)
      unconcerned.push_back(sees_no_poison(problem, visibility, chosen, i));
    const auto compared = [&](index b, index, index i) {
      return b == chosen.batch && unconcerned[static_cast<std::size_t>(i)];
    };
    const Comparison plain = trial.compare_with_truth(trial.answer().outputs, compared);
    for (const HiddenPoison& poison : poisons(problem, trial.conventions())) {
      const Inputs poisoned = with_poison_behind(problem, trial.inputs(), visibility, chosen, poison);
      const KernelAnswer answer = trial.run(poisoned);
      const Verdict verdict =
          metamorphic(plain, trial.compare_with_truth(answer.outputs, poisoned, compared), "invisible-key",
                      fmt::format("with {} in the keys that query {} may not see", poison.text(), chosen.query));
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
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
