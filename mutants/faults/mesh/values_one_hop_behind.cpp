// SPDX-License-Identifier: Apache-2.0
// Mutant: two buffers for K and two for V, of which only those of K change places.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class ValuesOneHopBehind final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  KeysAndValues next_keys(const RingStep& step, KeysAndValues current, KeysAndValues next) const override {
    if (step.backward || step.number == 0 || next.value.rows() != current.value.rows())
      return MeshSteps::next_keys(step, std::move(current), std::move(next));
    current.key.release();
    next.value.release();
    return {std::move(next.key), std::move(current.value)};
  }
};

const Registration<Mutant> registered{{
    .name = "values_one_hop_behind",
    .summary = "attends from the second hop on to the keys of one device with the values of another",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x1",
    .kernel = [] { return mesh_mutant<ValuesOneHopBehind>("values_one_hop_behind", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
