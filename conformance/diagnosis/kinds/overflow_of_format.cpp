// SPDX-License-Identifier: Apache-2.0
// Numbers that leave the range of their format.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Smaller scores, or smaller values, pass where larger ones of the same shape are no numbers any more.
Alternatives predictions(const FailureFacts& evidence) {
  if (evidence.verdict.reason != "wrong-non-finite") return {};
  constexpr int smaller = -9;
  const Problem problem = with_seed(evidence.base, 291);
  const FurtherCall fewer_scores{problem, queries_times(problem, smaller)},
      smaller_values{problem, values_times(problem, smaller)};
  if (!fewer_scores.inputs) return {};
  const Prediction as_it_is{fresh_inputs(problem, 0), Of::fails}, again{fresh_inputs(problem, 1), Of::fails};
  return {{{fewer_scores, Of::passes}, as_it_is, again}, {{smaller_values, Of::passes}, as_it_is, again}};
}

const Registration<KindOfFault> registered{{
    .name = "overflow_of_format",
    .says = "intermediate numbers leave the range of their format: right as soon as scores or values are smaller",
    .look_at = "what is exponentiated before a maximum is taken off, and what is stored in 16 bits",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
