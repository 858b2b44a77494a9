// SPDX-License-Identifier: Apache-2.0
// Wrong program: up to which key a block is computed is found out for the first sequence, and taken for the
// whole batch.
// Source: own; bugs.md M03, D17 by kind. Wrong on: any ring of two or more, batches of which the first sequence is
// not the longest, both passes.
// Wrong answer: ring:2 shape=2x1x8x8x8 lengths=4+8
#include <algorithm>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class BlocksOfTheFirstSequence final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_31_ring_blocks_of_the_first_sequence";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Blocks right = ChangedSteps::blocks(step);
    if (right.empty() || right.front().sequence != 0) return right;
    Blocks all;
    for (const SequenceBlock& own : right) {
      SequenceBlock block = own;
      if (own.seen == Seen::all && right.front().seen == Seen::all)
        block.keys.last = std::min(own.keys.last, right.front().keys.last);
      all.push_back(std::move(block));
    }
    return all;
  }
};

const Registration<RankProgramEntry> registered{ring_entry<BlocksOfTheFirstSequence>(
    "takes the last key of the first sequence's block for that of the whole batch")};

}  // namespace
}  // namespace attestone
