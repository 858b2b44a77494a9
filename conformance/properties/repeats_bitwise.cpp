// SPDX-License-Identifier: Apache-2.0
// Repeated calls give the same bits.
#include "conformance/properties/property.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

Verdict check(Trial& trial) {
  if (trial.conventions().bits == AnsweredBits::arrival)
    return Verdict::skipped("declares that bits of the forward pass may change from call to call");
  const Outputs& first = trial.answer().outputs;
  for (const int threads : Threads::worth_trying()) {
    const ForcedThreads chosen(threads);
    const KernelAnswer again = trial.run(trial.inputs());
    if (!same_answers(first, again.outputs))
      return Verdict::failed("not-repeatable", "a repeated call answers with other bits");
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "repeats_bitwise",
    .claim = "the same call gives the same bits, whatever the number of threads",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
