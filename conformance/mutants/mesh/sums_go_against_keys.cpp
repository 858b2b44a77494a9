// SPDX-License-Identifier: Apache-2.0
// Mutant: sums of gradients that go round the other way than the keys they belong to; on two devices both ways are one.
#include "backends/distributed/collectives.hpp"
#include "conformance/mutants/machinery/mesh_steps.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

class SumsGoAgainstKeys final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    const std::vector<ConstView> sent{out.key.all(), out.value.all()};
    const std::vector<View> received{in.key.all(), in.value.all()};
    return permute(step.rank.communicator, step.rank.ring, step.places() - 1, sent, received);
  }
};

const Registration<Mutant> registered{{
    .name = "sums_go_against_keys",
    .summary = "sends sums of dK and dV to the place that its next keys come from",
    .source = "huggingface/diffusers 0.42.1, TemplatedRingAttention",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x3x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<SumsGoAgainstKeys>("sums_go_against_keys", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone
