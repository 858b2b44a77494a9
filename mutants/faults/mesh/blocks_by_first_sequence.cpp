// SPDX-License-Identifier: Apache-2.0
// Mutant: the last key of one sequence for a whole batch.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class BlocksByFirstSequence final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Blocks right = MeshSteps::blocks(step);
    if (right.empty() || right.front().sequence != 0) return right;
    Blocks all;
    for (const SequenceBlock& own : right) {
      SequenceBlock block = own;
      if (own.seen == Seen::all && right.front().seen == Seen::all)
        block.keys.last = std::min(own.keys.last, right.front().keys.last);
      all.push_back(std::move(block));
    }
    return all;
  }
};

const Registration<Mutant> registered{{
    .name = "blocks_by_first_sequence",
    .summary = "takes the last key of the first sequence's block for that of all sequences",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x1x4x1 lengths=2+4",
    .kernel = [] { return mesh_mutant<BlocksByFirstSequence>("blocks_by_first_sequence", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
