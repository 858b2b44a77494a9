// SPDX-License-Identifier: Apache-2.0
// Sign codes: each query picks one key.
#include <algorithm>
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Keys are the signs of their own number, +1 and -1; a query is a long copy of one of them, whose score then leads all
// others by at least `lead`: far enough that their weights vanish in f32.
constexpr double lead = 120;

double sign_code(index number, index channel) { return channel < 63 && ((number >> channel) & 1) ? -1 : 1; }

ElementSource source(const Problem& problem) {
  const double length =
      std::exp2(std::ceil(std::log2(lead / 2 / std::abs(problem.scale())))) * (problem.scale() < 0 ? -1 : 1);
  return [problem, length](const Element& at) {
    if (at.tensor == TensorName::value) return normal_for(problem, at);
    if (at.tensor == TensorName::key) return sign_code(at.row, at.channel);
    const index chosen = draw_for(problem, {TensorName::query, at.batch, at.head, at.row, 0})
                             .integer(0, std::max<index>(problem.shape.keys, 1) - 1);
    return length * sign_code(chosen, at.channel);
  };
}

const Registration<Fill> registered{{
    .name = "one_hot",
    .aim = "rows that select one key: the answer is that row of V, bit for bit",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
