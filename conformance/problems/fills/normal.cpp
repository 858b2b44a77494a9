// SPDX-License-Identifier: Apache-2.0
// Standard normal Q, K and V.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) { return normal_for(problem, at); };
}

const Registration<Fill> registered{{
    .name = "normal",
    .aim = "everything at once, nothing in particular: what every other suite uses",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
