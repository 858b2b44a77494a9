// SPDX-License-Identifier: Apache-2.0
// Gradients are linear in the gradient of the output.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  return problem.backward ? without_numbers(problem) : without_gradients(problem);
}

void scale(CertifiedTensor& tensor, double factor) {
  const auto& [batches, heads, rows, channels] = tensor.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) {
          Certified& element = tensor.at(b, h, r, c);
          const bool known_zero = element.value == 0 && element.bound == 0;
          if (!known_zero) transform(element, factor, 0, 0);
        }
}

Verdict check(Trial& trial) {
  for (const int exponent : exponents_by_lot(trial.problem(), 6)) {
    auto dout = times_power_of_two(*trial.inputs().dout, exponent);
    if (!dout) continue;
    RelatedBackwardCall call{trial.problem(), trial.inputs(), trial.backward().truth()};
    call.inputs.dout.emplace(std::move(*dout));
    for (CertifiedTensor* tensor : {&call.truth.query, &call.truth.key, &call.truth.value})
      scale(*tensor, std::ldexp(1.0, exponent));
    for (std::optional<CertifiedTensor>* tensor : {&call.truth.bias, &call.truth.sink})
      if (*tensor) scale(**tensor, std::ldexp(1.0, exponent));
    return judged(trial, call, "gradient-not-linear", fmt::format("with dout times 2^{}", exponent));
  }
  return Verdict::skipped("dout fills its format: times a power of two it is not exact");
}

const Registration<Property> registered{{
    .name = "gradient_scaled",
    .claim = "dout times a power of two gives every gradient times that power",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
