// SPDX-License-Identifier: Apache-2.0
// Cold, mild and hot heads side by side.
#include "conformance/problems/levels.hpp"

#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// The level of one head of one sequence, whatever its rows hold.
double level(const Problem& problem, const Element& query) {
  constexpr index no_row = 0xFFFFFFFF;
  const Draw draw = draw_for(problem, {query.tensor, query.batch, query.head, no_row, 0});
  return static_cast<double>(draw.integer(-2, 2)) * 60;
}

ElementSource source(const Problem& problem) { return at_level(problem, level); }

const Registration<Fill> registered{{
    .name = "levels",
    .aim = "heads and sequences at levels of their own: a maximum or log_sum_exp of another one",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.chance = 0},
}};

}  // namespace
}  // namespace attestone::inline conformance
