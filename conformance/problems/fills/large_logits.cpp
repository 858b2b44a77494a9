// SPDX-License-Identifier: Apache-2.0
// A common offset of 10^4 under ordinary score differences.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Channel 0 adds the same offset to every score of a row; the other channels make differences of about 1.
constexpr double offset = 1e4, key_part = 128;

ElementSource source(const Problem& problem) {
  const double query_part = offset / (std::abs(problem.scale()) * key_part);
  return [problem, query_part](const Element& at) {
    if (at.tensor == TensorName::value || at.channel != 0) return normal_for(problem, at);
    return at.tensor == TensorName::query ? query_part : key_part;
  };
}

const Registration<Fill> registered{{
    .name = "large_logits",
    .aim = "scores near 10^4 whose differences are about 1: overflow, and everything that forgets the maximum",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
