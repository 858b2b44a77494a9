// SPDX-License-Identifier: Apache-2.0
// Sparse small integers.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Three of four elements are 0, the others -2 to 2: sums of products stay exact, as in oneDNN's benchdnn.
ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    const Draw draw = draw_for(problem, at);
    return draw.uniform() < 0.75 ? 0.0 : static_cast<double>(draw.integer(-2, 2, 1));
  };
}

const Registration<Fill> registered{{
    .name = "small_integers",
    .aim = "sums that are exact in every format, so that only exponentials and divisions round",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
