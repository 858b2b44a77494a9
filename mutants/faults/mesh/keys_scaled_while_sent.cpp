// SPDX-License-Identifier: Apache-2.0
// Mutant: keys that are changed while they are on their way.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class KeysScaledWhileSent final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Requests requests = hop(step, step.rank.ring, out, in);
    const View key = out.key.all();
    for_each_element(key, [&](index batch, index head, index row, index channel) {
      key.set(batch, head, row, channel, 2 * key.value(batch, head, row, channel));
    });
    co_return requests;
  }
};

const Registration<Mutant> registered{{
    .name = "keys_scaled_while_sent",
    .summary = "doubles K in place while it is being sent",
    .property = "value_bound",
    .reason = "send-buffer-changed",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<KeysScaledWhileSent>("keys_scaled_while_sent", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
