// SPDX-License-Identifier: Apache-2.0
// Mutant: keys that are widened before they are sent.
#include "backends/distributed/messages/elements.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class KeysSentInF32 final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    const DType& f32 = dtype("f32");
    const HeldHeads heads = head_numbers(step.rank);
    KeysAndValues going(step.rank, "KV in f32", f32, f32, out.key.rows(), heads);
    KeysAndValues coming(step.rank, "KV in f32", f32, f32, in.key.rows(), heads);
    round_into(out.key.all(), going.key.all());
    round_into(out.value.all(), going.value.all());
    Task<> hopped = all_of(hop(step, step.rank.ring, going, coming));
    co_await hopped;
    round_into(coming.key.all(), in.key.all());
    round_into(coming.value.all(), in.value.all());
    co_return Requests();
  }
};

const Registration<Mutant> registered{{
    .name = "keys_sent_in_f32",
    .summary = "sends K and V in f32, whatever their format is",
    .property = "value_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x2x1 dtype=bf16",
    .kernel = [] { return mesh_mutant<KeysSentInF32>("keys_sent_in_f32", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
