// SPDX-License-Identifier: Apache-2.0
// Wrong program: the two cases of the zigzag ring, all queries on the first chunk of earlier keys and the last chunk
// of queries on later keys, whatever the mask is.
// Source: bugs.md M06 (pytorch #141429). Wrong on: ring:...:placement=zigzag, any mask that is not causal, both
// passes.
// Wrong answer: ring:2 shape=1x1x8x8x8, with placement=zigzag
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

/// Rows of the first of the two chunks of a place of the ring.
index first_chunk(index length, index places, index place) {
  return length / (2 * places) + (place < length % (2 * places) ? 1 : 0);
}

class SkipsWithoutCausality final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_03_zigzag_skips_without_causality";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.number == 0 || dealing() != Dealing::zigzag) return ChangedSteps::blocks(step);
    const bool earlier = step.source() < step.rank.ring.place;
    std::vector<index> first_query, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      const Sequence length = step.whole().sequence(sequence);
      const index skipped = first_chunk(length.queries, step.places(), step.rank.ring.place);
      first_query.push_back(earlier ? 0 : skipped);
      keys.push_back(earlier ? first_chunk(length.keys, step.places(), step.source()) : step.keys.count(sequence));
    }
    return blocks_of_some(step, first_query, keys);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<SkipsWithoutCausality>("halves the work of a zigzag ring also where the mask is not causal")};

}  // namespace
}  // namespace attestone
