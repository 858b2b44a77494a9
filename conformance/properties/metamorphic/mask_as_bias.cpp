// SPDX-License-Identifier: Apache-2.0
// A mask is a bias of 0 and -infinity.
#include <limits>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

Problem biased(const Problem& problem) {
  Problem other = forward_of(problem);
  other.mask = Mask();
  other.score.add({"bias", 0, "full"});
  return other;
}

std::string inapplicable(const Problem& problem) {
  if (problem.mask.is_full()) return "the mask hides nothing";
  if (problem.score.has_bias()) return "there is a bias already";
  return problem.input.has_infinity() ? without_numbers(problem) : "the input format has no infinity";
}

Verdict check(Trial& trial) {
  const Problem other = biased(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), unmoved(trial.truth(), other)};
  copy_elements(original.query.view(), call.inputs.query.view());
  copy_elements(original.key.view(), call.inputs.key.view());
  copy_elements(original.value.view(), call.inputs.value.view());
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  const VisiblePairs visible(trial.problem());
  const View bias = call.inputs.bias->view();
  for_each_element(bias, [&](index b, index h, index i, index j) {
    bias.set(b, h, i, j, visible({b, h, i, j}) ? 0 : -std::numeric_limits<double>::infinity());
  });
  return judged(trial, call, "mask-form", "with a bias of -inf in place of the mask");
}

const Registration<Property> registered{{
    .name = "mask_as_bias",
    .claim = "in place of the mask, a bias that is -infinity where it hides and 0 elsewhere gives the same answer",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
