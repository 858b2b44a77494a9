// SPDX-License-Identifier: Apache-2.0
// Memory: nothing outside the outputs is written, everything inside is, and nothing that was there before matters.
#include "conformance/properties/memory_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem&) { return {}; }

/// What the kernel answers to the same problem with other inputs: the stale memory of a previous call.
Outputs previous_answer(Trial& trial) { return trial.run(inputs_before(trial.inputs())).outputs; }

WatchedCall watched(const Outputs& before, const KernelAnswer& answer) {
  return {tensors_of(before), tensors_of(answer.outputs), answer.inputs_changed, answer.memory};
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs& inputs = trial.inputs();
  const Outputs nan = poisoned_outputs(problem, Poison::nan), huge = poisoned_outputs(problem, Poison::huge);
  const Outputs stale = previous_answer(trial);
  const KernelAnswer over_nan = trial.run(inputs, nan), over_huge = trial.run(inputs, huge);
  const KernelAnswer over_stale = trial.run(inputs, stale), again = trial.run(inputs, nan);
  return memory_verdict(
      {watched(nan, over_nan), watched(huge, over_huge), watched(stale, over_stale), watched(nan, again)},
      trial.kernel().forward_bytes(problem));
}

const Registration<Property> registered{{
    .name = "guards",
    .claim = "writes every element of its outputs and nothing else, leaves its inputs alone, and does not care what "
             "memory held before",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
