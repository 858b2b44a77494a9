// SPDX-License-Identifier: Apache-2.0
// Wrong program: a ring of one device merges its own block with itself after the loop: out stays right, log_sum_exp
// is too large by ln 2.
// Source: distributed.md section 9, TokenRing. Wrong on: ring:1.
// Wrong answer: ring:1 shape=1x1x4x4x8
#include "backends/cpu/attend/merge.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class RingOfOneMergesTwice final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_09_ring_of_one_merges_twice";
  using ChangedSteps::ChangedSteps;

 protected:
  void answered(const Rank& rank, RankAnswer& answer) const override {
    if (rank.ring.size() > 1) return;
    for_each_element(answer.log_sum_exp.all(), [&](index, index head, index row, index) {
      const double once = answer.log_sum_exp.all().value(0, head, row, 0);
      answer.log_sum_exp.all().set(0, head, row, 0, log_of_both(once, once));
    });
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<RingOfOneMergesTwice>("a device without neighbours merges its own block twice")};

}  // namespace
}  // namespace attestone
