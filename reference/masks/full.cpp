// SPDX-License-Identifier: Apache-2.0
// The mask that hides nothing.
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "full",
    .summary = "every query sees every key",
    .arguments = "",
    .argument_count = 0,
    .least_argument = 0,
    .allows = [](const MaskPoint&, std::span<const index>) { return true; },
    .drawing = {.chance = 0},  // problems without a mask have it
}};

}  // namespace
}  // namespace attestone
