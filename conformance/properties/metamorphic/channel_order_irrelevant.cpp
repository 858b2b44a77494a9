// SPDX-License-Identifier: Apache-2.0
// A score is a sum over channels: their order does not matter.
#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) { return problem.shape.dim < 2 ? "one channel" : ""; }

void reverse_channels(const Tensor& from, Tensor& to) {
  const index last = from.view().extents()[3] - 1;
  copy_elements(from.view(), to.view(), [last](const Extents& at) {
    return Extents{at[0], at[1], at[2], last - at[3]};
  });
}

Verdict check(Trial& trial) {
  Inputs reversed = trial.inputs();
  reverse_channels(trial.inputs().query, reversed.query);
  reverse_channels(trial.inputs().key, reversed.key);
  return judged(trial, {trial.problem(), std::move(reversed), trial.truth()}, "channels",
                "with the channels of Q and K in reverse order");
}

const Registration<Property> registered{{
    .name = "channel_order_irrelevant",
    .claim = "reversing the order of the channels of Q and K together changes nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
