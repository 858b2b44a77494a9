// SPDX-License-Identifier: Apache-2.0
// Mutant: a hop in a group that does other things.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class KeysHopInOtherGroup final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Requests requests = hop(step, step.rank.ulysses, out, in);
    co_return requests;
  }
};

const Registration<Mutant> registered{{
    .name = "keys_hop_in_other_group",
    .summary = "sends the keys of a ring round the Ulysses group",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x4x1",
    .kernel = [] { return mesh_mutant<KeysHopInOtherGroup>("keys_hop_in_other_group", two_by_two); },
    .twin = [] { return mesh_twin(two_by_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
