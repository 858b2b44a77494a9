// SPDX-License-Identifier: Apache-2.0
// Memory: nothing outside the outputs is written, everything inside is, and nothing that was there before matters.
#include "conformance/properties/memory_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/trial/outputs_owed.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

/// The kernel's answer to the problem with other inputs: the stale memory of a previous call.
Outputs previous_answer(Trial& trial) { return trial.run(inputs_before(trial.inputs())).outputs; }

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs& inputs = trial.inputs();
  const Outputs nan = poisoned_outputs(problem, Poison::nan), huge = poisoned_outputs(problem, Poison::huge);
  const Outputs stale = previous_answer(trial);
  const auto over = [&](Before contents) -> WatchedCall {
    const Outputs& before = contents == Before::nan ? nan : contents == Before::huge ? huge : stale;
    const auto answer = std::make_shared<const KernelAnswer>(trial.run(inputs, before));
    return {outputs_owed(before, trial.conventions()),
            outputs_owed(answer->outputs, trial.conventions()),
            tensors_of(answer->outputs),
            answer->inputs_changed,
            answer->memory,
            answer};
  };
  return memory_verdict(over, trial.kernel().forward_bytes(problem), problem.seed);
}

const Registration<Property> registered{{
    .name = "guards",
    .claim = "writes every element of its outputs and nothing else, leaves its inputs alone, and does not care what "
             "memory held before",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
