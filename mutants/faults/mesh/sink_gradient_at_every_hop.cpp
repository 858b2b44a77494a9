// SPDX-License-Identifier: Apache-2.0
// Mutant: delta at every hop.
#include "backends/distributed/rank/local_steps.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SinkGradientAtEveryHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    for (index hop = 1; hop < rank.ring.size(); ++hop) delta_of(rank, queries, saved);
    return delta_of(rank, queries, saved);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_gradient_at_every_hop",
    .summary = "computes delta anew at every hop, and adds to the gradients of sinks each time",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1 score=sink:head pass=forward+backward",
    .kernel = [] { return mesh_mutant<SinkGradientAtEveryHop>("sink_gradient_at_every_hop", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
