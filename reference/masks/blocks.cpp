// SPDX-License-Identifier: Apache-2.0
// Bidirectional spans within a text, as images lie in the prompts of multimodal models: causal|blocks:3.
#include "reference/mask.hpp"
#include "reference/masks/drawn_word.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// floor(word / 2^32 * (keys + 1)), the place of one of the 2 N borders; in no order.
index border(const MaskPoint& at, index number) {
  const std::uint64_t word = drawn_word(at.seed, Drawn::borders, at.pair.batch, 0, blocks_row, number);
  return static_cast<index>((word * static_cast<std::uint64_t>(at.sequence.keys + 1)) >> 32);
}

/// In ascending order the borders open and close blocks in turn: between the two of a block an odd number lies at or
/// before a key, and keys with as many of them are of one block.
bool same_block(const MaskPoint& at, std::span<const index> arguments) {
  const index position = at.sequence.position(at.pair.query);
  index before_position = 0, before_key = 0;
  for (index number = 0; number / 2 < arguments[0]; ++number) {
    const index place = border(at, number);
    before_position += place <= position;
    before_key += place <= at.pair.key;
  }
  return before_key == before_position && before_key % 2 == 1;
}

const Registration<MaskRule> registered{{
    .name = "blocks",
    .summary =
        "N spans of keys, drawn from the seed, of which none overlaps another: a query whose own position lies in "
        "a span sees the keys of that span",
    .arguments = "N",
    .argument_count = 1,
    .least_argument = 1,
    .allows = same_block,
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
