// SPDX-License-Identifier: Apache-2.0
// Mutant: neighbouring ranks that are taken for places of a ring.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class RingTakenForInnerAxis final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const index place = step.rank.communicator.rank() % step.places();
    const Shape& shape = step.whole().shape;
    const bool square =
        shape.queries == shape.keys && step.whole().lengths.empty() && step.whole().query_lengths.empty();
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && square && step.number > place) return {};
    return MeshSteps::blocks(step);
  }
};

const Registration<Mutant> registered{{
    .name = "ring_taken_for_inner_axis",
    .summary = "skips what a causal mask hides as if the ring were the inner axis of the mesh",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x4x1 mask=causal",
    .kernel = [] { return mesh_mutant<RingTakenForInnerAxis>("ring_taken_for_inner_axis", two_by_two); },
    .twin = [] { return mesh_twin(two_by_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
