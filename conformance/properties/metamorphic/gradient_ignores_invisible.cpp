// SPDX-License-Identifier: Apache-2.0
// Gradients and keys that nobody may see.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/metamorphic/hidden_keys.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  return has_partly_blind_query(problem) ? "" : "no row sees some keys but not others";
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visible(problem);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool spreads = trial.conventions().hidden_nonfinite == HiddenNonfinite::propagates;
  const HiddenPoison poison = spreads ? finite_poison_of_gradients(problem) : HiddenPoison{nan, nan};
  bool conclusive = false;
  for (const PartlyBlindQuery& row : partly_blind_queries(problem, visible)) {
    const auto compared = [&](TensorName gradient, index b, index, index i) {
      return gradient == TensorName::dquery && b == row.batch && i == row.query;
    };
    const Inputs inputs = with_poison_behind(problem, trial.inputs(), visible, row, poison);
    const GradientAnswer answer = trial.backward().run(inputs, trial.run(inputs).outputs);
    const Verdict verdict =
        metamorphic(trial.backward().compare_with_truth(trial.backward().answer().gradients, compared),
                    trial.backward().compare_with_truth(answer.gradients, compared), "invisible-key",
                    fmt::format("with {} in the keys that query {} may not see", poison.text(), row.query));
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
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
