// SPDX-License-Identifier: Apache-2.0
// Mutant: a ring of one that merges its block with itself.
#include "backends/cpu/attend/merge.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LoneBlockMergedTwice final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void answered(const Rank& rank, RankAnswer& answer) const override {
    if (rank.ring.size() > 1) return;
    for_each_element(answer.log_sum_exp.all(), [&](index, index head, index row, index) {
      const double once = answer.log_sum_exp.all().value(0, head, row, 0);
      answer.log_sum_exp.all().set(0, head, row, 0, log_of_both(once, once));
    });
  }
};

const Registration<Mutant> registered{{
    .name = "lone_block_merged_twice",
    .summary =
        "merges the block of a ring of one device with itself: out stays right, log_sum_exp is too large by ln 2",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<LoneBlockMergedTwice>("lone_block_merged_twice", ring_of_one); },
    .twin = [] { return mesh_twin(ring_of_one); },
}};

}  // namespace
}  // namespace attestone::inline mutants
