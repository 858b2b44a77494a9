// SPDX-License-Identifier: Apache-2.0
// A score is a product of Q and K.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) { return without_numbers(problem); }

Verdict check(Trial& trial) {
  for (const int exponent : exponents_by_lot(trial.problem(), 4)) {
    auto query = times_power_of_two(trial.inputs().query, exponent);
    auto key = times_power_of_two(trial.inputs().key, -exponent);
    if (!query || !key) continue;
    Inputs inputs = trial.inputs();
    inputs.query = std::move(*query), inputs.key = std::move(*key);
    return judged(trial, {trial.problem(), std::move(inputs), trial.truth()}, "power-of-two",
                  fmt::format("with Q times 2^{0} and K over 2^{0}", exponent));
  }
  return Verdict::skipped("Q and K fill their format: a power of two cannot move between them");
}

const Registration<Property> registered{{
    .name = "query_key_scaled",
    .claim = "Q times a power of two and K over it change nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
