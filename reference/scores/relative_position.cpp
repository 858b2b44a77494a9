// SPDX-License-Identifier: Apache-2.0
// Relative positions: a bias that is linear in the signed distance between a key and a query's own position.
#include "reference/registry.hpp"
#include "reference/scores/score.hpp"

namespace attestone {
namespace {

const Registration<BiasRule> registered{{
    .name = "relative_position",
    .summary = "adds x * (key - position), x rounded to f32 first; x > 0",
    .noun = "relative positions",
    .takes_number = true,
    .add_biases =
        [](const Shape&, const Sequence& sequence, double x, const Pair& first, std::span<double> row) {
          index distance = first.key - sequence.position(first.query);
          for (double& score : row) score += static_cast<float>(x) * static_cast<double>(distance++);
        },
    .drawing = {.turn = 1, .chance = 0.3},
}};

}  // namespace
}  // namespace attestone
