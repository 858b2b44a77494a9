// SPDX-License-Identifier: Apache-2.0
// The value bound of gradients: every element within what the declared arithmetic allows.
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

Verdict check(Trial& trial) {
  BackwardTrial& backward = trial.backward();
  const Comparison comparison = backward.compare_with_truth(backward.answer().gradients);
  Verdict verdict = judged(comparison);
  verdict.by_place = accuracy_by_place(comparison.errors);
  index tensors = 0;
  for (const auto& all :
       {tensors_of(trial.inputs()), tensors_of(trial.answer().outputs), tensors_of(backward.answer().gradients)})
    for (const NamedTensor& named : all) tensors += static_cast<index>(named.tensor->held_bytes());
  const index documented = trial.kernel().backward_bytes(trial.problem());
  verdict.memory = Memory{true, backward.answer().memory, documented, tensors, backward.answer().devices};
  return verdict;
}

const Registration<Property> registered{{
    .name = "gradient_bound",
    .claim =
        "every element of dQ, dK, dV, dBias and dSink is as near to the truth as the declared arithmetic guarantees",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
