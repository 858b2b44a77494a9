// SPDX-License-Identifier: Apache-2.0
// The verdict that properties share which change a call in a way that must not matter.
#include "conformance/properties/property.hpp"

namespace attestone::inline conformance {

std::string without_gradients(const Problem& problem) { return problem.backward ? "" : "a forward pass only"; }

Verdict metamorphic(const Comparison& plain, const Comparison& changed, std::string_view reason,
                    const std::string& circumstances) {
  if (!plain.conforms()) return Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
  if (changed.conforms()) return Verdict::passed();
  Verdict verdict = judged(changed);
  verdict.reason = reason;
  verdict.evidence = circumstances + ": " + verdict.evidence;
  return verdict;
}

}  // namespace attestone::inline conformance
