// SPDX-License-Identifier: Apache-2.0
// The scale is a factor like those of Q.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) { return without_numbers(problem); }

Verdict check(Trial& trial) {
  for (const int exponent : {3, -3, 1, -1}) {
    auto query = times_power_of_two(trial.inputs().query, exponent);
    if (!query) continue;
    Problem other = trial.problem();
    other.given_scale = std::ldexp(other.scale(), -exponent);
    Inputs inputs = trial.inputs();
    inputs.query = std::move(*query);
    return judged(trial, {other, std::move(inputs), trial.truth()}, "power-of-two",
                  fmt::format("with Q times 2^{0} and the scale over 2^{0}", exponent));
  }
  return Verdict::skipped("Q fills its format: times a power of two it is not exact");
}

const Registration<Property> registered{{
    .name = "scale_moves_into_query",
    .claim = "Q times a power of two, and the scale over it, change nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
