// SPDX-License-Identifier: Apache-2.0
// Bidirectional spans within a text, as images lie in the prompts of multimodal models: causal|blocks:3.
#include <algorithm>
#include <vector>

#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The inputs of the draws of a sequence's borders.
struct BordersOf {
  std::uint64_t seed;
  index batch, keys, blocks;
  bool operator==(const BordersOf&) const = default;
};

/// The 2 N borders of blocks in ascending order, each at floor(word / 2^32 * (keys + 1)).
std::vector<index> drawn_borders(const BordersOf& of) {
  std::vector<index> borders;
  for (index number = 0; number / 2 < of.blocks; ++number) {
    const std::uint64_t word = drawn_word(of.seed, Drawn::borders, of.batch, 0, blocks_row, number);
    borders.push_back(static_cast<index>((word * static_cast<std::uint64_t>(of.keys + 1)) >> 32));
  }
  std::ranges::sort(borders);
  return borders;
}

/// Keeps the borders of the sequence that was asked about last: most questions are about it again.
const std::vector<index>& borders(const BordersOf& of) {
  thread_local BordersOf kept{};
  thread_local std::vector<index> borders;
  if (of != kept) borders = drawn_borders(of), kept = of;
  return borders;
}

/// Borders open and close blocks in turn: between the two of a block an odd number lies at or before a key, and keys
/// with as many of them are of one block.
bool same_block(const MaskPoint& at, std::span<const index> arguments) {
  const auto& all = borders({at.seed, at.pair.batch, at.sequence.keys, arguments[0]});
  const auto at_or_before = [&](index place) { return std::ranges::upper_bound(all, place) - all.begin(); };
  const auto before_key = at_or_before(at.pair.key);
  return before_key == at_or_before(at.sequence.position(at.pair.query)) && before_key % 2 == 1;
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
