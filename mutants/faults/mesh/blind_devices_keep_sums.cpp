// SPDX-License-Identifier: Apache-2.0
// Mutant: a branch round a hop that only some devices take.
#include "backends/distributed/messages/elements.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class BlindDevicesKeepSums final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks& blocks, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    if (!blocks.empty()) return MeshSteps::hop_of_sums(step, blocks, out, in);
    copy(out.key.all(), in.key.all());
    copy(out.value.all(), in.value.all());
    return {};
  }
};

const Registration<Mutant> registered{{
    .name = "blind_devices_keep_sums",
    .summary = "does not send sums of dK and dV on where a device has nothing to add to them",
    .property = "gradient_bound",
    .reason = "mismatched-message",
    .problem = "shape=1x1x2x2x1 mask=causal pass=forward+backward",
    .kernel = [] { return mesh_mutant<BlindDevicesKeepSums>("blind_devices_keep_sums", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
