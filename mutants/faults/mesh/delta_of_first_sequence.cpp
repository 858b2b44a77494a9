// SPDX-License-Identifier: Apache-2.0
// Mutant: an offset of the sequence that is missing where O and dO are read.
#include "backends/distributed/rank/local_steps.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class DeltaOfFirstSequence final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

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

const Registration<Mutant> registered{{
    .name = "delta_of_first_sequence",
    .summary = "takes delta of the first sequence for all, on every device of a ring but the last",
    .source = "fla-org/flash-linear-attention #1115",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x1x1x2x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<DeltaOfFirstSequence>("delta_of_first_sequence", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
