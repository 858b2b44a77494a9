// SPDX-License-Identifier: Apache-2.0
// Holding predictions against answers.
#include "conformance/diagnosis/kinds/kind.hpp"

#include <algorithm>

namespace attestone::inline conformance {

bool FailureFacts::has(ProblemFeature::Of of) const {
  return std::ranges::any_of(features, [&](const ProblemFeature& feature) { return feature.of == of; });
}

const Condition* FailureFacts::on(std::string_view variable) const {
  const auto found = std::ranges::find_if(conditions, [&](const Condition& c) { return c.variable->name == variable; });
  return found == conditions.end() ? nullptr : &*found;
}

namespace {

/// Equal scores or few keys may leave nothing to tell a right answer from a lazy one; within its bounds it still is.
bool is_within_bounds(const Verdict& verdict) {
  return verdict.outcome == Outcome::passed ||
         (verdict.outcome == Outcome::inconclusive && verdict.reason == "weak-case");
}

}  // namespace

bool comes_true(Inquiry& inquiry, const Prediction& prediction) {
  const FurtherCall& call = prediction.call;
  switch (prediction.of) {
    case Prediction::Of::fails:
      // A fault that depends on the inputs as well may pass with some.
      return inquiry.fails(call).value_or(false) ||
             (!call.inputs && !call.fresh && inquiry.fails(with_seed(call.problem, 1)).value_or(false));
    case Prediction::Of::passes: {
      const auto heard = inquiry.hear(call);
      return heard && is_within_bounds(heard->verdict);
    }
    case Prediction::Of::bits_change:
    case Prediction::Of::bits_repeat: {
      const auto heard = inquiry.hear(call);
      return heard && heard->bits_change == (prediction.of == Prediction::Of::bits_change);
    }
    case Prediction::Of::leaves_unwritten: {
      const auto heard = inquiry.hear(call);
      return heard && heard->unwritten > 0;
    }
  }
  return false;
}

FurtherCall fresh_inputs(Problem problem, std::uint64_t seed) { return {with_seed(std::move(problem), seed)}; }

}  // namespace attestone::inline conformance
