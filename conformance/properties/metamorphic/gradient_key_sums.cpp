// SPDX-License-Identifier: Apache-2.0
// A shift of all keys has no gradient.
#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (problem.score.softcap()) return "softcap bends a shift of the scores";
  return problem.score.has_sink() ? "the sink is not shifted" : without_numbers(problem);
}

Verdict check(Trial& trial) {
  if (std::string why = without_sums(trial); !why.empty()) return Verdict::skipped(why);
  const OtherGradients other(trial);
  return adds_up_to_zero("dkey", other.got.key.view(), other.bounds.key, 2);
}

const Registration<Property> registered{{
    .name = "gradient_key_sums",
    .claim = "the weights of a row do not change with a shift of K, so dK adds up to 0 over the keys, for other inputs "
             "as well",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::dkey},
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
