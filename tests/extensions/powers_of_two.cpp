// SPDX-License-Identifier: Apache-2.0
// A fill that attestone does not have: powers of two of either sign.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    const Draw draw = draw_for(problem, at);
    const double power = std::ldexp(1.0, static_cast<int>(draw.integer(-2, 1)));
    return draw.integer(0, 1, 1) == 0 ? power : -power;
  };
}

const Registration<Fill> registered{{
    .name = "powers_of_two",
    .aim = "products that are exact in every format",
    .arguments = "",
    .argument_count = 0,
    .source = source,
}};

}  // namespace
}  // namespace attestone
