// SPDX-License-Identifier: Apache-2.0
// Normal, with one entry in a thousand ten times wider.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// FlashAttention-3 (arXiv 2407.08608), section 4.3: N(0, 1) + N(0, 100) Bernoulli(0.001).
constexpr double outlier_rate = 0.001, outlier_deviation = 10;

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    if (draw_for(problem, at).uniform(2) >= outlier_rate) return normal_for(problem, at);
    // An independent normal draw, from beyond the tensor.
    const Element other{at.tensor, at.batch + problem.shape.batch, at.head, at.row, at.channel};
    return normal_for(problem, at) + outlier_deviation * normal_for(problem, other);
  };
}

const Registration<Fill> registered{{
    .name = "outliers",
    .aim = "single large entries: the distribution of FlashAttention-3, section 4.3",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
