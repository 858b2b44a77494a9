// SPDX-License-Identifier: Apache-2.0
// A mask that attestone does not have: a chess board.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "checkered",
    .summary = "squares of SIZE queries and SIZE keys are visible and hidden by turns, the first one is visible",
    .arguments = "SIZE",
    .argument_count = 1,
    .least_argument = 1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          return (at.pair.query / arguments[0] + at.pair.key / arguments[0]) % 2 == 0;
        },
}};

}  // namespace
}  // namespace attestone
