// SPDX-License-Identifier: Apache-2.0
// A running maximum that does not begin at minus infinity.
#include <algorithm>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// All scores of a row far below zero fail; as far above they pass, and near zero.
Alternatives predictions(const FailureFacts& evidence) {
  if (!evidence.has(ProblemFeature::Of::fill) && !evidence.has(ProblemFeature::Of::number)) return {};
  const auto of_a_tail = [](const Condition& condition) {
    return condition.form == Condition::Form::no_multiple || condition.form == Condition::Form::above_no_multiple;
  };
  if (std::ranges::any_of(evidence.conditions, of_a_tail)) return {};  // other rows as low are right
  Problem plain = with_seed(evidence.base, 301);
  plain.fill = {}, plain.given_scale.reset();
  Alternatives all;
  for (const double level : {200.0, 1e5}) {
    const FurtherCall below{plain, scores_raised_by(plain, -level)}, above{plain, scores_raised_by(plain, level)};
    if (below.inputs) all.push_back({{{plain}, Of::passes}, {above, Of::passes}, {below, Of::fails}});
  }
  return all;
}

const Registration<KindOfFault> registered{{
    .name = "initial_maximum",
    .says = "rows whose scores all lie far below zero are wrong, and those far above it are right",
    .look_at = "where the running maximum begins, zeros that count as scores, and finite numbers in place of -infinity",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
