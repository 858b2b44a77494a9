// SPDX-License-Identifier: Apache-2.0
// Mutant: a loop that ends a hop too early.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class OneHopShort final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index steps(const Rank& rank) const override { return rank.ring.size() - 1; }
};

const Registration<Mutant> registered{{
    .name = "one_hop_short",
    .summary = "goes round a ring in one hop less than it takes",
    .property = "value_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x3x1",
    .kernel = [] { return mesh_mutant<OneHopShort>("one_hop_short", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
