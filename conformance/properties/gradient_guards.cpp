// SPDX-License-Identifier: Apache-2.0
// Memory of the backward pass: as the guards of the forward pass.
#include "conformance/properties/memory_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// What the kernel answers to other inputs: the stale memory of a previous call.
Gradients previous_gradients(Trial& trial) {
  const Inputs inputs = inputs_before(trial.inputs());
  return trial.backward().run(inputs, trial.run(inputs).outputs).gradients;
}

WatchedCall watched(const Gradients& before, const GradientAnswer& answer) {
  return {tensors_of(before), tensors_of(answer.gradients), tensors_of(answer.gradients), answer.inputs_changed,
          answer.memory};
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs& inputs = trial.inputs();
  const Outputs& forward = trial.answer().outputs;
  BackwardTrial& backward = trial.backward();
  const Gradients nan = poisoned_gradients(problem, Poison::nan), huge = poisoned_gradients(problem, Poison::huge);
  const Gradients stale = previous_gradients(trial);
  const GradientAnswer over_nan = backward.run(inputs, forward, nan), over_huge = backward.run(inputs, forward, huge);
  const GradientAnswer over_stale = backward.run(inputs, forward, stale), again = backward.run(inputs, forward, nan);
  return memory_verdict(
      {watched(nan, over_nan), watched(huge, over_huge), watched(stale, over_stale), watched(nan, again)},
      trial.kernel().backward_bytes(problem));
}

const Registration<Property> registered{{
    .name = "gradient_guards",
    .claim =
        "the backward pass writes every element of the gradients and nothing else, leaves what it reads alone, and "
        "does not care what memory held before",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone
