// SPDX-License-Identifier: Apache-2.0
// A bias that is the same everywhere favours no key.
#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double everywhere = 2;

std::string inapplicable(const Problem& problem) {
  if (problem.score.has_bias()) return "there is a bias already";
  if (problem.score.has_sink()) return "the bias favours keys over the sink";
  return without_numbers(problem);
}

Verdict check(Trial& trial) {
  Problem other = trial.problem();
  other.score.add({"bias", 0, "key"});
  Inputs inputs = trial.inputs();
  inputs.bias.emplace(*Inputs(other).bias);
  inputs.bias->fill_code(other.input.encode(everywhere));
  Truth truth = trial.truth();
  for_each_certified(other, truth, [](index, index, index, index c, Certified& element) {
    if (c < 0) transform(element, 1, everywhere, 0);
  });
  return judged(trial, {other, std::move(inputs), std::move(truth)}, "neutral-term", "with a bias of 2 everywhere");
}

const Registration<Property> registered{{
    .name = "constant_bias",
    .claim = "a bias of 2 for every pair leaves O what it was and adds 2 to log_sum_exp and max_logits",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
