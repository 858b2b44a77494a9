// SPDX-License-Identifier: Apache-2.0
// Packed documents: several texts in one sequence, none of which sees another.
#include <algorithm>

#include "reference/masks/drawn_word.hpp"
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The key at which document `number` >= 1 begins: floor(word / 2^32 * (keys + 1)), so that 0 and `keys` leave a
/// document empty. In no order: the documents are what lies between borders.
index border(const MaskPoint& at, index number) {
  const std::uint64_t word = drawn_word(at.seed, Drawn::borders, at.pair.batch, 0, document_row, number);
  return static_cast<index>((word * static_cast<std::uint64_t>(at.sequence.keys + 1)) >> 32);
}

bool same_document(const MaskPoint& at, std::span<const index> arguments) {
  const index documents = arguments[0], position = at.sequence.position(at.pair.query);
  if (position < 0 || position >= at.sequence.keys) return false;
  const auto [before, after] = std::minmax(position, at.pair.key);
  for (index number = 1; number < documents; ++number)
    if (const index begin = border(at, number); before < begin && begin <= after) return false;
  return true;
}

const Registration<MaskRule> registered{{
    .name = "document",
    .summary =
        "the keys are cut into N documents at borders drawn from the seed, and a query sees the document in which "
        "its own position lies",
    .arguments = "N",
    .argument_count = 1,
    .least_argument = 1,
    .allows = same_document,
    .drawing = {.turn = 4},
    .ways = {[](Draws& draws, const Shape&) { return std::vector{draws.integer(1, 5)}; }},
}};

}  // namespace
}  // namespace attestone
