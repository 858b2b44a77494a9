// SPDX-License-Identifier: Apache-2.0
// Clusters of keys that are copies of each other, or nearly.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index clusters = 4;
constexpr index no_row = 0xFFFFFFFF;
// Closer than one rounding cell of weights in bf16.
constexpr double nearness = 0x1p-11;

// Half of each cluster repeats its key exactly. V leans one way in even channels, and both ways in odd ones.
ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    const double noise = normal_for(problem, at);
    if (at.tensor == TensorName::query) return noise;
    if (at.tensor == TensorName::value) return at.channel % 2 == 0 ? 2 + std::abs(noise) : noise;
    const Element centre = in_row(at, at.tensor, at.batch, at.head, no_row - at.row % clusters);
    const bool is_copy = at.row / clusters % 2 == 0;
    return normal_for(problem, centre) + (is_copy ? 0 : nearness * noise);
  };
}

const Registration<Fill> registered{{
    .name = "near_ties",
    .aim =
        "keys that repeat each other, exactly or nearly: their weights are rounded alike, so errors do not average out",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
