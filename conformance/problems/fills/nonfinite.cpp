// SPDX-License-Identifier: Apache-2.0
// NaN and infinities here and there, where some rows see them and others do not.
#include <array>
#include <limits>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// One row of this many holds something that is not finite, in one of its channels.
constexpr index rows_per_special = 24;

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array specials{std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
    const index channels = at.tensor == TensorName::value ? problem.shape.value_dim : problem.shape.dim;
    const Draw row = draw_for(problem, {at.tensor, at.batch, at.head, at.row, 0});
    const bool special = row.integer(1, rows_per_special, 2) == 1 && row.integer(0, channels - 1, 3) == at.channel;
    if (special) return specials[static_cast<std::size_t>(draw_for(problem, at).integer(0, 2))];
    return normal_for(problem, at);
  };
}

const Registration<Fill> registered{{
    .name = "nonfinite",
    .aim = "where NaN and infinities may go: to the rows that see them, and to no other",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
