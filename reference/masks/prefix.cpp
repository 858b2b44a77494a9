// SPDX-License-Identifier: Apache-2.0
// Prefix language models: a prompt that everybody sees, then causal.
#include <algorithm>

#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "prefix",
    .summary = "a query sees the first N keys, and each key up to its own position",
    .arguments = "N",
    .argument_count = 1,
    .least_argument = 0,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          return at.pair.key < arguments[0] || at.pair.key <= at.sequence.position(at.pair.query);
        },
    .drawing = {.turn = 5},
    .ways = {[](Draws& draws, const Shape& shape) {
      return std::vector{draws.integer(0, std::max<index>(shape.keys, 1))};
    }},
}};

}  // namespace
}  // namespace attestone
