// SPDX-License-Identifier: Apache-2.0
// Tree attention of speculative decoding: the queries are drafted tokens, each of which continues another one.
// SpecInfer (arXiv 2305.09781), Medusa (arXiv 2401.10774).
#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The token that `token` >= 1 continues: floor(word / 2^32 * token), any one before it.
index parent(const MaskPoint& at, std::uint64_t tree, index token) {
  const std::uint64_t word = drawn_word(tree, Drawn::borders, at.pair.batch, 0, tree_row, token);
  return static_cast<index>((word * static_cast<std::uint64_t>(token)) >> 32);
}

bool on_the_path(const MaskPoint& at, std::span<const index> arguments) {
  const index token_of_key = at.pair.key - (at.sequence.keys - at.sequence.queries);
  if (token_of_key < 0) return true;  // what was there before the drafts
  index token = at.pair.query;
  while (token > token_of_key) token = parent(at, static_cast<std::uint64_t>(arguments[0]), token);
  return token == token_of_key;
}

const Registration<MaskRule> registered{{
    .name = "tree",
    .summary =
        "query i is token i of a tree, the last keys are these tokens, and each but the first continues an earlier "
        "one, drawn from SEED: a query sees itself, what it continues up to the first token, and all keys before",
    .arguments = "SEED",
    .argument_count = 1,
    .least_argument = 0,
    .allows = on_the_path,
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
