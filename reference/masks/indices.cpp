// SPDX-License-Identifier: Apache-2.0
// Attention by a list of keys for every query, as indexers pick them: DeepSeek Sparse Attention (DeepSeek-V3.2).
#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// Entry n of the list is key floor(word / 2^32 * (keys + 1)); an entry that would be key `keys` is none, as -1 is in
/// the lists of kernels. A key that stands in the list twice is one key.
bool listed(const MaskPoint& at, std::span<const index> arguments) {
  const auto choices = static_cast<std::uint64_t>(at.sequence.keys + 1);
  for (index entry = 0; entry < arguments[0]; ++entry) {
    const std::uint64_t word = drawn_word(at.seed, Drawn::entries, at.pair.batch, 0, at.pair.query, entry);
    if (static_cast<index>((word * choices) >> 32) == at.pair.key) return true;
  }
  return false;
}

const Registration<MaskRule> registered{{
    .name = "indices",
    .summary =
        "a query sees the keys of a list of K entries, drawn from the seed, the same list for all heads; entries "
        "may repeat a key, or be none",
    .arguments = "K",
    .argument_count = 1,
    .least_argument = 0,
    .allows = listed,
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
