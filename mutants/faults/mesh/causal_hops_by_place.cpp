// SPDX-License-Identifier: Apache-2.0
// Mutant: hops that are skipped by their place.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class CausalHopsByPlace final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const bool later = step.source() > step.rank.ring.place;
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && later) return {};
    return MeshSteps::blocks(step);
  }
};

const Registration<Mutant> registered{{
    .name = "causal_hops_by_place",
    .summary = "skips keys of later devices under every causal mask, also where there are more keys than queries",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x1 mask=causal",
    .kernel = [] { return mesh_mutant<CausalHopsByPlace>("causal_hops_by_place", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
