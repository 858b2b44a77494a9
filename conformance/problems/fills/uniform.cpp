// SPDX-License-Identifier: Apache-2.0
// Uniform in [0, 1): all positive, as in the SDPA tests of PyTorch.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) { return draw_for(problem, at).uniform(); };
}

const Registration<Fill> registered{{
    .name = "uniform",
    .aim = "one-signed sums, in which gradients cancel and biased rounding accumulates",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .others = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
