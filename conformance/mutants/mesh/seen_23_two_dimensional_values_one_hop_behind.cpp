// SPDX-License-Identifier: Apache-2.0
// Wrong program: K and V are received into second buffers, and where sizes agree only the buffers of K are exchanged
// after the second hop: V stays that of the hop before.
// Source: own: stale double buffer. Wrong on: rings of three or more with equal shards, forward pass.
// Wrong answer: ulysses:2+ring:3 shape=1x2x6x6x8
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class ValuesOneHopBehind final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_23_two_dimensional_values_one_hop_behind";
  using ChangedSteps::ChangedSteps;

 protected:
  KeyValue next_keys(const RingStep& step, KeyValue current, KeyValue next) const override {
    if (step.backward || step.number == 0 || next.value.rows() != current.value.rows())
      return ChangedSteps::next_keys(step, std::move(current), std::move(next));
    current.key.release();
    next.value.release();
    return {std::move(next.key), std::move(current.value)};
  }
};

const Registration<RankProgramEntry> registered{two_dimensional_entry<ValuesOneHopBehind>(
    "exchanges the double buffers of keys, not those of values, from the second hop on")};

}  // namespace
}  // namespace attestone
