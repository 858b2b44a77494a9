// SPDX-License-Identifier: Apache-2.0
// Mutant: delta over as many channels as queries have.
#include "backends/distributed/rank/local_steps.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class DeltaOfNarrowRows final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    Buffer delta = delta_of(rank, queries, saved);
    const index dim = saved.query.channels();
    for_each_element(delta.all(), [&](index, index head, index row, index) {
      double beyond = 0;
      for (index c = dim; c < saved.out.channels(); ++c)
        beyond += saved.out.all().value(0, head, row, c) * saved.dout.all().value(0, head, row, c);
      if (beyond != 0) delta.all().set(0, head, row, 0, delta.all().value(0, head, row, 0) - beyond);
    });
    return delta;
  }
};

const Registration<Mutant> registered{{
    .name = "delta_of_narrow_rows",
    .summary = "sums dO O over the channels of Q, where V and O have more",
    .source = "XunhaoLai/native-sparse-attention-triton #27",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1:2 pass=forward+backward",
    .kernel = [] { return mesh_mutant<DeltaOfNarrowRows>("delta_of_narrow_rows", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
