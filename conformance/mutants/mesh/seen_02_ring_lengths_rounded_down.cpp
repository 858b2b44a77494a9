// SPDX-License-Identifier: Apache-2.0
// Wrong program: every device takes keys / devices of its keys, whatever it holds: what is left over by the division
// is seen by nobody.
// Source: bugs.md M03, M04 (TransformerEngine #3331, #1930). Wrong on: rings that do not divide the keys of a
// sequence.
// Wrong answer: ring:2 shape=1x1x7x7x8
#include <algorithm>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class LengthsRoundedDown final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_02_ring_lengths_rounded_down";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    std::vector<index> none, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      const index each = step.whole().sequence(sequence).keys / step.places();
      none.push_back(0);
      keys.push_back(std::min(each, step.keys.count(sequence)));
    }
    return blocks_of_some(step, none, keys);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<LengthsRoundedDown>("each device counts length / devices keys")};

}  // namespace
}  // namespace attestone
