// SPDX-License-Identifier: Apache-2.0
// Block-sparse attention: squares of the score matrix, kept or dropped whole.
#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The first bit of the block's word is 0.
bool block_visible(const MaskPoint& at, std::span<const index> arguments) {
  const auto& [batch, head, query, key] = at.pair;
  const index size = arguments[0];
  return drawn_word(at.seed, Drawn::blocks, batch, head, query / size, key / size) < 1u << 31;
}

const Registration<MaskRule> registered{{
    .name = "block",
    .summary = "each block of SIZE queries and SIZE keys of each head is visible with probability one half, drawn from "
               "the seed",
    .arguments = "SIZE",
    .argument_count = 1,
    .least_argument = 1,
    .allows = block_visible,
    .differs_by_head = true,
    .drawing = {.turn = 7},
    .ways = {[](Draws& draws, const Shape&) { return std::vector{draws.integer(1, 40)}; }},
}};

}  // namespace
}  // namespace attestone
