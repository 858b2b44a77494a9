// SPDX-License-Identifier: Apache-2.0
// A softmax over every key twice is the softmax over every key once.
#include <numbers>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.mask.is_full()) return "the mask tells a key from its copy";
  if (problem.score.has_bias() && !problem.score.bias_tensor()) return "the bias tells a key from its copy";
  if (problem.score.has_sink()) return "the sink is there once";
  if (problem.dropout > 0) return "dropout tells a key from its copy";
  return problem.shape.keys == 0 ? "no keys" : without_numbers(problem);
}

Problem doubled(const Problem& problem) {
  Problem other = forward_of(problem);
  other.shape.keys *= 2;
  for (index& length : other.lengths) length *= 2;
  return other;
}

Verdict check(Trial& trial) {
  const Problem other = doubled(trial.problem());
  const Inputs& once = trial.inputs();
  RelatedCall call{other, Inputs(other), unmoved(trial.truth(), other)};
  const auto row = [](const Extents& at) { return Extents{at[0], at[1], at[2] / 2, at[3]}; };
  const auto column = [](const Extents& at) { return Extents{at[0], at[1], at[2], at[3] / 2}; };
  copy_elements(once.query.view(), call.inputs.query.view());
  copy_elements(once.key.view(), call.inputs.key.view(), row);
  copy_elements(once.value.view(), call.inputs.value.view(), row);
  if (once.bias) copy_elements(once.bias->view(), call.inputs.bias->view(), column);
  for_each_certified(other, call.truth, [](index, index, index, index c, Certified& element) {
    if (c == log_sum_exp_channel) transform(element, 1, std::numbers::ln2, dtype("f64").unit_roundoff());
  });
  return judged(trial, call, "keys-twice", "with every key twice");
}

const Registration<Property> registered{{
    .name = "keys_twice",
    .claim = "every key and value beside a copy of itself leaves O what it was and adds ln 2 to log_sum_exp",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
