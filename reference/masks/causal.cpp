// SPDX-License-Identifier: Apache-2.0
// Causal, aligned at the bottom right: the last query stands at the last key.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "causal",
    .summary = "the last query sees the last key, and each query no key after its own position",
    .arguments = "",
    .argument_count = 0,
    .least_argument = 0,
    .allows = [](const MaskPoint& at,
                 std::span<const index>) { return at.pair.key <= at.sequence.position(at.pair.query); },
    .drawing = {.turn = 1},
    .band = true,
}};

}  // namespace
}  // namespace attestone
