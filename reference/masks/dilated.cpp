// SPDX-License-Identifier: Apache-2.0
// Dilated attention: every STRIDE-th key, counted from the query's own position.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "dilated",
    .summary = "a query at position p sees keys p, p - STRIDE, p + STRIDE, p - 2 STRIDE, ...",
    .arguments = "STRIDE",
    .argument_count = 1,
    .least_argument = 1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          return (at.sequence.position(at.pair.query) - at.pair.key) % arguments[0] == 0;
        },
    .drawing = {.turn = 9},
    .ways = {[](Draws& draws, const Shape&) { return std::vector{draws.integer(1, 9)}; }},
}};

}  // namespace
}  // namespace attestone
