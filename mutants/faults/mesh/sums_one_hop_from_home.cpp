// SPDX-License-Identifier: Apache-2.0
// Mutant: sums of gradients that make one hop too few.
#include "backends/distributed/messages/elements.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SumsOneHopFromHome final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks& blocks, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    if (step.number < step.places() - 1) return MeshSteps::hop_of_sums(step, blocks, out, in);
    copy(out.key.all(), in.key.all());
    copy(out.value.all(), in.value.all());
    return {};
  }
};

const Registration<Mutant> registered{{
    .name = "sums_one_hop_from_home",
    .summary = "stores dK and dV on the device before the one whose keys they belong to",
    .property = "gradient_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x2x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<SumsOneHopFromHome>("sums_one_hop_from_home", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
