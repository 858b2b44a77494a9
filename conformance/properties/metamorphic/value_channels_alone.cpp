// SPDX-License-Identifier: Apache-2.0
// Channels of V do not meet.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

index first_of(const Problem& problem) { return problem.shape.value_dim / 2; }

std::string inapplicable(const Problem& problem) { return problem.shape.value_dim < 2 ? "one channel of V" : ""; }

Verdict check(Trial& trial) {
  const index first = first_of(trial.problem());
  Problem other = forward_of(trial.problem());
  other.shape.value_dim -= first;
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), moved(trial.truth(), other, same_row, first)};
  copy_elements(original.query.view(), call.inputs.query.view());
  copy_elements(original.key.view(), call.inputs.key.view());
  copy_elements(original.value.view(), call.inputs.value.view(), [first](const Extents& at) {
    return Extents{at[0], at[1], at[2], first + at[3]};
  });
  if (original.bias) call.inputs.bias.emplace(*original.bias);
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  return judged(trial, call, "channels", fmt::format("with the channels of V from {} on alone", first));
}

const Registration<Property> registered{{
    .name = "value_channels_alone",
    .claim = "the second half of the channels of V answers alone what it answers beside the first",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
