// SPDX-License-Identifier: Apache-2.0
// Scores that rise from key to key.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Along channel 0 each key scores about rise more than the key before it.
constexpr double rise = 0.25;

ElementSource source(const Problem& problem) {
  const double step = rise / std::abs(problem.scale());
  return [problem, step](const Element& at) {
    if (at.tensor == TensorName::value || at.channel != 0) return normal_for(problem, at);
    if (at.tensor == TensorName::query) return problem.scale() < 0 ? -1.0 : 1.0;
    return step * static_cast<double>(at.row);
  };
}

const Registration<Fill> registered{{
    .name = "monotone",
    .aim = "a maximum that rises with every key: each tile must rescale what came before",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
