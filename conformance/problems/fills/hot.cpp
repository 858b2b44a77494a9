// SPDX-License-Identifier: Apache-2.0
// All scores far above zero.
#include "conformance/problems/levels.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Powers of e beyond all that floats hold.
double level(const Problem& problem, const Element& query) {
  return static_cast<double>(draw_for(problem, query).integer(95, 250));
}

ElementSource source(const Problem& problem) { return at_level(problem, level); }

const Registration<Fill> registered{{
    .name = "hot",
    .aim = "rows whose scores all lie above 90: powers that are taken before the maximum is known, and padding that "
           "scores 0",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.chance = 0},
}};

}  // namespace
}  // namespace attestone::inline conformance
