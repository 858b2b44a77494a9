// SPDX-License-Identifier: Apache-2.0
// Wrong program: before the backward pass every device but the last sums dO O of the first sequence for all
// sequences: the offset of the sequence is missing where O and dO are read.
// Source: bugs.md M12 (flash-linear-attention #1115). Wrong on: any ring of two or more, batches of two or more,
// backward pass.
// Wrong answer: ring:2 shape=2x1x4x4x8 pass=forward+backward
#include "backends/distributed/local_steps.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class DeltaOfTheFirstSequence final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_07_ring_delta_of_the_first_sequence";
  using ChangedSteps::ChangedSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    Buffer delta = delta_of(rank, queries, saved);
    if (rank.ring.place == rank.ring.size() - 1) return delta;
    for (index sequence = 1; sequence < queries.rows.sequences(); ++sequence)
      for (index row = 0; row < queries.rows.count(sequence); ++row)
        for (index head = 0; head < delta.heads(); ++head) {
          double sum = 0;
          for (index c = 0; c < saved.out.channels(); ++c)
            sum += saved.out.all().value(0, head, row, c) * saved.dout.all().value(0, head, row, c);
          delta.all().set(0, head, queries.rows.begin(sequence) + row, 0, sum);
        }
    return delta;
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<DeltaOfTheFirstSequence>("delta of all sequences is that of the first one, but for the last device")};

}  // namespace
}  // namespace attestone
