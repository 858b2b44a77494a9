// SPDX-License-Identifier: Apache-2.0
// Wrong program: keys are padded with zeros until the group divides them, and nothing masks these: each adds exp(0)
// to the sum of a row.
// Source: bugs.md N08 (VeOmni PR #1139); distributed.md section 9, MaxDiffusion. Wrong on: Ulysses groups that do
// not divide the keys, full masks.
// Wrong answer: ulysses:2 shape=1x2x7x7x8
#include <cmath>

#include "backends/cpu/attend/merge.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class PaddingTakesPart final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_12_ulysses_padding_takes_part";
  using ChangedSteps::ChangedSteps;

 protected:
  void answered(const Rank& rank, RankAnswer& answer) const override {
    const Problem& whole = rank.attention.whole();
    if (!whole.mask.is_full()) return;
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    const index members = rank.ulysses.size();
    for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
      const index keys = whole.sequence(sequence).keys, padding = (members - keys % members) % members;
      for (index row = rows.begin(sequence); row < rows.begin(sequence) + rows.count(sequence); ++row)
        for (index head = 0; padding > 0 && head < answer.out.heads(); ++head) {
          const double right = answer.log_sum_exp.all().value(0, head, row, 0);
          const double all = log_of_both(right, std::log(static_cast<double>(padding)));
          answer.log_sum_exp.all().set(0, head, row, 0, all);
          for (index c = 0; c < answer.out.channels(); ++c)
            answer.out.all().set(0, head, row, c, answer.out.all().value(0, head, row, c) * std::exp(right - all));
        }
    }
  }
};

const Registration<RankProgramEntry> registered{
    ulysses_entry<PaddingTakesPart>("zero keys that pad a sequence are attended to")};

}  // namespace
}  // namespace attestone
