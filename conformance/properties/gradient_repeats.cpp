// SPDX-License-Identifier: Apache-2.0
// Repeated backward calls give the same bits, where the kernel promises it.
#include "conformance/properties/property.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  return problem.deterministic ? "" : "nobody asks for repeatable gradients";
}

Verdict check(Trial& trial) {
  if (!trial.kernel().gradients_repeat(trial.problem()))
    return Verdict::skipped("the kernel adds gradients in the order of arrival, and says so");
  const Gradients& first = trial.backward().answer().gradients;
  for (const int threads : Threads::worth_trying()) {
    const ForcedThreads chosen(threads);
    const GradientAnswer again = trial.backward().run(trial.inputs(), trial.answer().outputs);
    if (!same_answers(first, again.gradients))
      return Verdict::failed("not-repeatable", "a repeated backward call answers with other bits");
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gradient_repeats",
    .claim =
        "the same backward call gives the same bits, whatever the number of threads, unless the kernel disclaims it "
        "or the problem does not ask for it",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
