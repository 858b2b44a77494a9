// SPDX-License-Identifier: Apache-2.0
// Mutant: a last step that only waits.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LastShardUnseen final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.number == step.places() - 1) return {};
    return MeshSteps::blocks(step);
  }
};

const Registration<Mutant> registered{{
    .name = "last_shard_unseen",
    .summary = "attends to the keys of all devices of a ring but those that come last",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .variant = "the last 1 of 2 keys never read",
    .kernel = [] { return mesh_mutant<LastShardUnseen>("last_shard_unseen", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
