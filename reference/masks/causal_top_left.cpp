// SPDX-License-Identifier: Apache-2.0
// Causal, aligned at the top left: another mask as soon as queries and keys differ in number.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "causal:top_left",
    .summary = "query i sees keys 0 to i, whatever the lengths",
    .arguments = "",
    .argument_count = 0,
    .least_argument = 0,
    .allows = [](const MaskPoint& at, std::span<const index>) { return at.pair.key <= at.pair.query; },
    .drawing = {.turn = 2},
    .band = true,
}};

}  // namespace
}  // namespace attestone
