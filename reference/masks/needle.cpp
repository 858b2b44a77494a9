// SPDX-License-Identifier: Apache-2.0
// Needles: a few keys that everybody sees, and otherwise only oneself.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "needle",
    .summary = "a query sees the key at its own position, and the keys 0, STRIDE, 2 STRIDE, ...",
    .arguments = "STRIDE",
    .argument_count = 1,
    .least_argument = 1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          return at.pair.key % arguments[0] == 0 || at.pair.key == at.sequence.position(at.pair.query);
        },
    .drawing = {.turn = 8},
    .ways = {[](Draws& draws, const Shape&) { return std::vector{draws.integer(1, 40)}; }},
}};

}  // namespace
}  // namespace attestone
