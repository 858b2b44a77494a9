// SPDX-License-Identifier: Apache-2.0
// Mutant: one number of keys for all steps.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class KeysCountedByLastHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (!step.backward) return MeshSteps::blocks(step);
    const HeldRows& last = step.rank.keys.of_ring(step.rank.ring.beside(1));
    std::vector<index> none, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      none.push_back(0);
      keys.push_back(std::min(last.count(sequence), step.keys.count(sequence)));
    }
    return blocks_of_some(step, none, keys);
  }
};

const Registration<Mutant> registered{{
    .name = "keys_counted_by_last_hop",
    .summary = "takes in the backward pass the number of keys that the last step of the forward pass had saved, for "
               "every step",
    .source = "pytorch/pytorch PR #185493",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x3x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<KeysCountedByLastHop>("keys_counted_by_last_hop", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
