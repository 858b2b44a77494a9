// SPDX-License-Identifier: Apache-2.0
// Causal by blocks: within a block everybody sees everybody, as block diffusion models denoise (arXiv 2503.09573).
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "block_causal",
    .summary = "a query at position p sees its own block of SIZE keys and all blocks before: those with key / SIZE <= "
               "p / SIZE, rounded down",
    .arguments = "SIZE",
    .argument_count = 1,
    .least_argument = 1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          const index position = at.sequence.position(at.pair.query), size = arguments[0];
          return position >= 0 && at.pair.key / size <= position / size;
        },
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
