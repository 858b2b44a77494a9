// SPDX-License-Identifier: Apache-2.0
// Wrong program: the backward pass takes the number of keys that the last step of the forward pass had saved, for
// every step: keys beyond it get no share where shards are longer than that.
// Source: bugs.md M07 (pytorch PR #185493). Wrong on: rings that do not divide the keys of a sequence, backward
// pass.
// Wrong answer: ring:2 shape=1x1x7x7x8 pass=forward+backward
#include <algorithm>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class ExtentsOfTheLastHop final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_04_ring_extents_of_the_last_hop";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (!step.backward) return ChangedSteps::blocks(step);
    const HeldRows& last = step.rank.keys.of_ring(step.rank.ring.beside(1));
    std::vector<index> none, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      none.push_back(0);
      keys.push_back(std::min(last.count(sequence), step.keys.count(sequence)));
    }
    return blocks_of_some(step, none, keys);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<ExtentsOfTheLastHop>("the backward pass has one number of keys for all steps, saved by the last")};

}  // namespace
}  // namespace attestone
