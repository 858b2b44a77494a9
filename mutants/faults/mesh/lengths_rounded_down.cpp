// SPDX-License-Identifier: Apache-2.0
// Mutant: as many keys on every device.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LengthsRoundedDown final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    std::vector<index> none, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      const index each = step.whole().sequence(sequence).keys / step.places();
      none.push_back(0);
      keys.push_back(std::min(each, step.keys.count(sequence)));
    }
    return blocks_of_some(step, none, keys);
  }
};

const Registration<Mutant> registered{{
    .name = "lengths_rounded_down",
    .summary =
        "takes length / devices keys of every device of a ring, so that nobody sees what the division leaves over",
    .source = "NVIDIA/TransformerEngine #3331; NVIDIA/TransformerEngine #1930",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x1",
    .kernel = [] { return mesh_mutant<LengthsRoundedDown>("lengths_rounded_down", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
