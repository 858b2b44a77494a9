// SPDX-License-Identifier: Apache-2.0
// Three times normal.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double width = 3;

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) { return width * normal_for(problem, at); };
}

const Registration<Fill> registered{{
    .name = "wide",
    .aim = "scores nine times as far apart, so that few keys share the mass and maxima change from tile to tile",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
