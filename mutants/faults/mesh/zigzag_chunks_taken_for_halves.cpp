// SPDX-License-Identifier: Apache-2.0
// Mutant: two chunks that are taken to be equally long.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class ZigzagChunksTakenForHalves final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Shape& shape = step.whole().shape;
    if (step.number == 0 || dealing() != Dealing::zigzag || step.whole().mask != Mask("causal") ||
        shape.queries != shape.keys || !step.whole().lengths.empty() || !step.whole().query_lengths.empty())
      return MeshSteps::blocks(step);
    const bool earlier = step.source() < step.rank.ring.place;
    std::vector<index> first_query, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      first_query.push_back(earlier ? 0 : step.queries.rows.count(sequence) / 2);
      keys.push_back(earlier ? step.keys.count(sequence) / 2 : step.keys.count(sequence));
    }
    return blocks_of_some(step, first_query, keys);
  }
};

const Registration<Mutant> registered{{
    .name = "zigzag_chunks_taken_for_halves",
    .summary = "cuts what a device of a zigzag ring holds in the middle, where one chunk has a row more than the other",
    .source = "jzhang38/EasyContext PR #57",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x5x5x1 mask=causal",
    .kernel = [] { return mesh_mutant<ZigzagChunksTakenForHalves>("zigzag_chunks_taken_for_halves", zigzag_of_two); },
    .twin = [] { return mesh_twin(zigzag_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
