// SPDX-License-Identifier: Apache-2.0
// Mutant: a message that is packed in one order and unpacked in the other.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class FusedGradientsSwapped final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    const std::vector<ConstView> going{out.key.all(), out.value.all()};
    const std::vector<View> coming{in.value.all(), in.key.all()};
    return permute(step.rank.communicator, step.rank.ring, 1, going, coming, step.variant.messages);
  }
};

const Registration<Mutant> registered{{
    .name = "fused_gradients_swapped",
    .summary = "packs sums of gradients as dK, dV and unpacks them as dV, dK",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<FusedGradientsSwapped>("fused_gradients_swapped", fused_ring_of_two); },
    .twin = [] { return mesh_twin(fused_ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
