// SPDX-License-Identifier: Apache-2.0
// Wrong program: each block answers with the sinks among its keys, as the kernel does that is handed them: a ring of
// N counts them N times.
// Source: bugs.md N12, E13: what joins the keys once joins them at every hop. Wrong on: any ring of two or more,
// problems with sinks.
// Wrong answer: ring:2 shape=1x2x4x4x8 score=sink:head
#include <cmath>

#include "backends/cpu/attend/merge.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class SinksAtEveryHop final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_08_ring_sinks_at_every_hop";
  using ChangedSteps::ChangedSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer& out, Buffer& log_sum_exp) const override {
    const auto& sinks = step.rank.attention.inputs().sink;
    if (!sinks || step.number == 0) return;
    for_each_element(log_sum_exp.all(), [&](index, index head, index row, index) {
      const double of_keys = log_sum_exp.all().value(0, head, row, 0);
      const double all = log_of_both(of_keys, sinks->value(0, step.queries.heads.query.first + head, 0, 0));
      log_sum_exp.all().set(0, head, row, 0, all);
      for (index c = 0; c < out.channels(); ++c)
        out.all().set(0, head, row, c, out.all().value(0, head, row, c) * std::exp(of_keys - all));
    });
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<SinksAtEveryHop>("sinks are counted by every block of a ring")};

}  // namespace
}  // namespace attestone
