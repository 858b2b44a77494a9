// SPDX-License-Identifier: Apache-2.0
// diffusers 0.42.1: sums of gradients go round the other way than the keys they belong to; on two devices both ways are
// one.
#include "backends/distributed/messages/collectives.hpp"
#include "mutants/hosts/diffusers_ring.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SumsGoAgainstKeys final : public DiffusersRing {
 public:
  using DiffusersRing::DiffusersRing;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    const std::vector<ConstView> sent{out.key.all(), out.value.all()};
    const std::vector<View> received{in.key.all(), in.value.all()};
    return permute(step.rank.communicator, step.rank.ring, step.places() - 1, sent, received);
  }
};

const Registration<Mutant> registered{{
    .name = "diffusers/ring/as_published/sums",
    .summary = "sends sums of dK and dV to the place that its next keys come from",
    .source = "huggingface/diffusers 0.42.1, TemplatedRingAttention",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x3x3x1 pass=forward+backward",
    .variant = "gradients of keys sent the wrong way round 3",
    .kernel = [] { return mesh_mutant<SumsGoAgainstKeys>("diffusers/ring/as_published/sums", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
