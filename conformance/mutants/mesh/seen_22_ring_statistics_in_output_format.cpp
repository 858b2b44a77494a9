// SPDX-License-Identifier: Apache-2.0
// Wrong program: log_sum_exp of a block is kept in the output format until it is merged, as its output is.
// Source: own. Wrong on: any ring of two or more, outputs narrower than f32.
// Wrong answer: ring:2 shape=1x1x4x4x8 dtype=bf16
#include "backends/distributed/elements.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class StatisticsInOutputFormat final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_22_ring_statistics_in_output_format";
  using ChangedSteps::ChangedSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer&, Buffer& log_sum_exp) const override {
    Buffer narrow(step.rank.workspace, "narrow log_sum_exp", step.whole().output, log_sum_exp.rows(),
                  log_sum_exp.heads(), 1);
    round_into(log_sum_exp.all(), narrow.all());
    round_into(narrow.all(), log_sum_exp.all());
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<StatisticsInOutputFormat>("merges by log_sum_exp that was rounded to the output format")};

}  // namespace
}  // namespace attestone
