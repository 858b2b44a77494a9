// SPDX-License-Identifier: Apache-2.0
// Gradients do not depend on the place of elements in memory.
#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Every element has a place of its own in this layout, and none of them is where packed strides would put it.
constexpr const char* other_layout = "strided";

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (problem.layout == other_layout) return "already strided";
  return shares_places(problem) ? "elements share places" : "";
}

Verdict check(Trial& trial) {
  Problem strided = trial.problem();
  strided.layout = other_layout;
  const Inputs& original = trial.inputs();
  RelatedBackwardCall call{strided, Inputs(strided), trial.backward().truth()};
  copy_elements(original.query.view(), call.inputs.query.view());
  copy_elements(original.key.view(), call.inputs.key.view());
  copy_elements(original.value.view(), call.inputs.value.view());
  copy_elements(original.dout->view(), call.inputs.dout->view());
  if (original.bias) call.inputs.bias.emplace(*original.bias);
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  return judged(trial, call, "gradient-layout", "with gaps after every row, head and batch");
}

const Registration<Property> registered{{
    .name = "gradient_layout",
    .claim = "the same elements at other places in memory have the same gradients",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
