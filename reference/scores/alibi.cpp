// SPDX-License-Identifier: Apache-2.0
// ALiBi: a penalty that grows linearly with the distance between a query's position and the key.
#include "reference/scores/alibi.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>

#include "reference/registry.hpp"
#include "reference/scores/score.hpp"

namespace attestone {

double alibi_slope(index head, index heads) {
  const double n = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const double h = static_cast<double>(head) + 1;
  const double exponent = h <= n ? -8 * h / n : -4 * (2 * (h - n) - 1) / n;
  return static_cast<float>(std::exp2(exponent));
}

namespace {

const Registration<BiasRule> registered{{
    .name = "alibi",
    .summary = "adds -slope * |position - key|, the slope of each head by the published rule",
    .noun = "ALiBi",
    .add_biases =
        [](const Shape& shape, const Sequence& sequence, double, const Pair& first, std::span<double> row) {
          const double slope = alibi_slope(first.head, shape.heads);
          index distance = sequence.position(first.query) - first.key;
          for (double& score : row) score -= slope * static_cast<double>(std::abs(distance--));
        },
    .drawing = {.turn = 2, .chance = 0.6},
}};

}  // namespace
}  // namespace attestone
