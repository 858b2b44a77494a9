// SPDX-License-Identifier: Apache-2.0
// All scores far below zero.
#include "conformance/problems/levels.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Powers of e below all that floats hold, and above what kernels write for -infinity.
double level(const Problem& problem, const Element& query) {
  return -static_cast<double>(draw_for(problem, query).integer(110, 250));
}

ElementSource source(const Problem& problem) { return at_level(problem, level); }

const Registration<Fill> registered{{
    .name = "cold",
    .aim =
        "rows whose scores all lie below -100: maxima and sums that begin at a number, and zeros that count as scores",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.chance = 0},
}};

}  // namespace
}  // namespace attestone::inline conformance
