// SPDX-License-Identifier: Apache-2.0
// A mask may be said in several ways.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// A mask of the same pairs: a band of diagonals by its other name, another mask as what is left when the pairs it
/// hides are hidden.
Mask in_other_words(const Mask& mask) {
  if (mask.is_full()) return Mask("window", {-1, -1});
  if (mask == Mask("causal")) return Mask("window", {-1, 0});
  if (mask == Mask("window", {-1, 0})) return Mask("causal");
  return ~(~mask & Mask("window", {-1, -1}));
}

std::string inapplicable(const Problem& problem) { return problem.shape.keys == 0 ? "no keys" : ""; }

Verdict check(Trial& trial) {
  Problem other = trial.problem();
  other.mask = in_other_words(other.mask);
  return judged(trial, {other, trial.inputs(), trial.truth()}, "mask-form",
                fmt::format("with mask={} in place of mask={}", other.mask.text(), trial.problem().mask.text()));
}

const Registration<Property> registered{{
    .name = "mask_in_other_words",
    .claim = "a mask that shows the same pairs in other words gives the same answer",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
