// SPDX-License-Identifier: Apache-2.0
// The value bound: every element within what the declared arithmetic allows.
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Comparison comparison = trial.compare_with_truth(trial.answer().outputs);
  Verdict verdict = judged(comparison);
  verdict.by_place = accuracy_by_place(comparison.errors);
  const Inputs& inputs = trial.inputs();
  const Outputs& outputs = trial.answer().outputs;
  index tensors = 0;
  for (const Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value, &outputs.out, &outputs.log_sum_exp})
    tensors += static_cast<index>(tensor->held_bytes());
  if (outputs.max_logits) tensors += static_cast<index>(outputs.max_logits->held_bytes());
  verdict.memory =
      Memory{false, trial.answer().memory, trial.kernel().forward_bytes(problem), tensors, trial.answer().devices};
  return verdict;
}

const Registration<Property> registered{{
    .name = "value_bound",
    .claim = "every element of the answers is as near to the truth as the declared arithmetic guarantees",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
