// SPDX-License-Identifier: Apache-2.0
// Attention is linear in V.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  return problem.shape.keys == 0 ? "no keys" : without_numbers(problem);
}

Verdict check(Trial& trial) {
  for (const int exponent : exponents_by_lot(trial.problem(), 8)) {
    auto scaled = times_power_of_two(trial.inputs().value, exponent);
    if (!scaled) continue;
    Inputs inputs = trial.inputs();
    inputs.value = std::move(*scaled);
    Truth truth = trial.truth();
    for_each_certified(trial.problem(), truth, [&](index, index, index, index c, Certified& element) {
      if (c >= 0) transform(element, std::ldexp(1.0, exponent), 0, 0);
    });
    return judged(trial, {trial.problem(), std::move(inputs), std::move(truth)}, "power-of-two",
                  fmt::format("with V times 2^{}", exponent));
  }
  return Verdict::skipped("V fills its format: times a power of two it is not exact");
}

const Registration<Property> registered{{
    .name = "value_scaled",
    .claim = "V times a power of two gives O times that power",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
