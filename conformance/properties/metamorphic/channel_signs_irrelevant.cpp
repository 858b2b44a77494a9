// SPDX-License-Identifier: Apache-2.0
// A score is a sum of products: two signs cancel.
#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

void negate_even_channels(const Tensor& from, Tensor& to) {
  const ConstView original = from.view();
  const View view = to.view();
  for_each_element(original, [&](index b, index h, index r, index c) {
    if (c % 2 == 0) view.set(b, h, r, c, -original.value(b, h, r, c));
  });
}

Verdict check(Trial& trial) {
  Inputs negated = trial.inputs();
  negate_even_channels(trial.inputs().query, negated.query);
  negate_even_channels(trial.inputs().key, negated.key);
  return judged(trial, {trial.problem(), std::move(negated), trial.truth()}, "channels",
                "with the even channels of Q and K negated");
}

const Registration<Property> registered{{
    .name = "channel_signs_irrelevant",
    .claim = "negating every other channel of Q and K together changes nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
