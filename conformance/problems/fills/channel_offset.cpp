// SPDX-License-Identifier: Apache-2.0
// Channels with a mean of their own, as the keys of real models have (SageAttention, arXiv 2410.02367, section 4.2).
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// How far the mean of a channel lies from zero, in standard deviations of what is drawn around it.
constexpr double typical_offset = 4;

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    const double noise = normal_for(problem, at);
    if (at.tensor == TensorName::query) return noise;
    // One offset for all rows of a head: drawn at a row that no element has.
    constexpr index no_row = 0xFFFFFFFF;
    return noise + typical_offset * normal_for(problem, in_row(at, at.tensor, at.batch, at.head, no_row));
  };
}

const Registration<Fill> registered{{
    .name = "channel_offset",
    .aim = "what adds the same to every score of a row and must cancel: offsets of K, and the large means of V",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
