// SPDX-License-Identifier: Apache-2.0
// Memory of the backward pass: as the guards of the forward pass.
#include "conformance/properties/memory_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The kernel's answer to other inputs: the stale memory of a previous call.
Gradients previous_gradients(Trial& trial) {
  const Inputs inputs = inputs_before(trial.inputs());
  return trial.backward().run(inputs, trial.run(inputs).outputs).gradients;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs& inputs = trial.inputs();
  const Outputs& forward = trial.answer().outputs;
  const Gradients nan = poisoned_gradients(problem, Poison::nan), huge = poisoned_gradients(problem, Poison::huge);
  const Gradients stale = previous_gradients(trial);
  const auto over = [&](Before contents) -> WatchedCall {
    const Gradients& before = contents == Before::nan ? nan : contents == Before::huge ? huge : stale;
    const auto answer = std::make_shared<const GradientAnswer>(trial.backward().run(inputs, forward, before));
    return {tensors_of(before),
            tensors_of(answer->gradients),
            tensors_of(answer->gradients),
            answer->inputs_changed,
            answer->memory,
            answer};
  };
  return memory_verdict(over, trial.kernel().backward_bytes(problem), problem.seed);
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
}  // namespace attestone::inline conformance
