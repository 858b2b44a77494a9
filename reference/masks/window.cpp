// SPDX-License-Identifier: Apache-2.0
// A band of keys around each query's own position.
#include <algorithm>

#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

index reach(Draws& draws, const Shape& shape) {
  return draws.chance(0.2) ? -1 : draws.integer(0, std::max<index>(shape.keys, 1));
}

std::vector<index> two_sided(Draws& draws, const Shape& shape) { return {reach(draws, shape), reach(draws, shape)}; }
std::vector<index> one_sided(Draws& draws, const Shape& shape) { return {reach(draws, shape), 0}; }

const Registration<MaskRule> registered{{
    .name = "window",
    .summary = "a query at position p sees keys p - left to p + right, both included; -1 is unbounded",
    .arguments = "left:right",
    .argument_count = 2,
    .least_argument = -1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          const index beyond = at.pair.key - at.sequence.position(at.pair.query), left = arguments[0],
                      right = arguments[1];
          return (left < 0 || -beyond <= left) && (right < 0 || beyond <= right);
        },
    .drawing = {.turn = 3},
    .band = true,
    .ways = {two_sided, one_sided},
}};

}  // namespace
}  // namespace attestone
