// SPDX-License-Identifier: Apache-2.0
// Wrong program: a zigzag ring cuts what a device holds in the middle, where its two chunks differ by a row: a key
// of the first chunk is skipped that later queries see.
// Source: bugs.md M10 (EasyContext PR #57). Wrong on: ring with placement=zigzag, causal masks, where 2 N does not
// divide the length, both passes.
// Wrong answer: ring:2 shape=1x1x5x5x8 mask=causal, with placement=zigzag
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class EqualHalves final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_06_zigzag_equal_halves";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Shape& shape = step.whole().shape;
    if (step.number == 0 || dealing() != Dealing::zigzag || step.whole().mask != Mask("causal") ||
        shape.queries != shape.keys || !step.whole().lengths.empty() || !step.whole().query_lengths.empty())
      return ChangedSteps::blocks(step);
    const bool earlier = step.source() < step.rank.ring.place;
    std::vector<index> first_query, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      first_query.push_back(earlier ? 0 : step.queries.rows.count(sequence) / 2);
      keys.push_back(earlier ? step.keys.count(sequence) / 2 : step.keys.count(sequence));
    }
    return blocks_of_some(step, first_query, keys);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<EqualHalves>("takes the two chunks of a zigzag ring for halves")};

}  // namespace
}  // namespace attestone
