// SPDX-License-Identifier: Apache-2.0
// An attention sink: the first key wins by a wide margin in every row.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// The first key points along channel 0, and so does every query: its score leads by about sink_lead.
constexpr double sink_lead = 8;

ElementSource source(const Problem& problem) {
  const double length = std::sqrt(sink_lead / std::abs(problem.scale()));
  return [problem, length](const Element& at) {
    const double noise = normal_for(problem, at);
    if (at.tensor == TensorName::value || at.channel != 0) return noise;
    if (at.tensor == TensorName::query) return length * (problem.scale() < 0 ? -1 : 1);
    return at.row == 0 ? length : noise / length;
  };
}

const Registration<Fill> registered{{
    .name = "sinks",
    .aim = "one key that takes most of the mass, so that all others live in the tail",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
