// SPDX-License-Identifier: Apache-2.0
// Three values only, so that scores, weights and whole keys repeat.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) { return static_cast<double>(draw_for(problem, at).integer(-1, 1)); };
}

const Registration<Fill> registered{{
    .name = "few_valued",
    .aim = "equal scores and repeated keys beside others, whose roundings all go the same way",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .others = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
