// SPDX-License-Identifier: Apache-2.0
// V around the smallest normal number of its format.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

ElementSource source(const Problem& problem) {
  // Half of V is subnormal, half a little above; f64 and f32 share the treatment of their own smallest normal.
  const double smallest = problem.input.smallest_normal();
  return [problem, smallest](const Element& at) {
    const double noise = normal_for(problem, at);
    return at.tensor == TensorName::value ? noise * smallest : noise;
  };
}

const Registration<Fill> registered{{
    .name = "subnormal",
    .aim = "values below the normal range of the input format: kernels and hardware that flush them to zero",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
