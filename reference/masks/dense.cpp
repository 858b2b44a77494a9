// SPDX-License-Identifier: Apache-2.0
// Any boolean tensor: each pair of each head by itself.
#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr index percent = 100;

/// word / 2^32 < share / 100
bool drawn_visible(const MaskPoint& at, std::span<const index> arguments) {
  const auto& [batch, head, query, key] = at.pair;
  const index word = drawn_word(at.seed, Drawn::pairs, batch, head, query, key);
  return word * percent < arguments[0] << 32;
}

const Registration<MaskRule> registered{{
    .name = "dense",
    .summary = "each pair of each head is visible with a probability of PERCENT, drawn from the seed",
    .arguments = "PERCENT",
    .argument_count = 1,
    .least_argument = 0,
    .allows = drawn_visible,
    .differs_by_head = true,
    .most_argument = percent,
    .drawing = {.turn = 6},
    .ways = {[](Draws& draws, const Shape&) { return std::vector{draws.integer(5, 95)}; }},
}};

}  // namespace
}  // namespace attestone
