// SPDX-License-Identifier: Apache-2.0
// Mutant: a diagonal that is attended to before the ring and inside it.
#include <numbers>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class OwnBlockCountedTwice final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  /// Twice the weight is ln 2 more.
  void before_merge(const RingStep& step, const Blocks&, Buffer&, Buffer& log_sum_exp) const override {
    if (step.number > 0) return;
    const View all = log_sum_exp.all();
    for_each_element(all, [&](index, index head, index row, index) {
      all.set(0, head, row, 0, all.value(0, head, row, 0) + std::numbers::ln2);
    });
  }
};

const Registration<Mutant> registered{{
    .name = "own_block_counted_twice",
    .summary = "counts the keys that a device itself holds twice",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<OwnBlockCountedTwice>("own_block_counted_twice", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
