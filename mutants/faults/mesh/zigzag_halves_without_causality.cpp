// SPDX-License-Identifier: Apache-2.0
// Mutant: the two cases of a causal zigzag ring under every mask.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Rows of the first of the two chunks of a place of the ring.
index first_chunk(index length, index places, index place) {
  return length / (2 * places) + (place < length % (2 * places) ? 1 : 0);
}

class ZigzagHalvesWithoutCausality final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.number == 0 || dealing() != Dealing::zigzag) return MeshSteps::blocks(step);
    const bool earlier = step.source() < step.rank.ring.place;
    std::vector<index> first_query, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      const Sequence length = step.whole().sequence(sequence);
      const index skipped = first_chunk(length.queries, step.places(), step.rank.ring.place);
      first_query.push_back(earlier ? 0 : skipped);
      keys.push_back(earlier ? first_chunk(length.keys, step.places(), step.source()) : step.keys.count(sequence));
    }
    return blocks_of_some(step, first_query, keys);
  }
};

const Registration<Mutant> registered{{
    .name = "zigzag_halves_without_causality",
    .summary = "leaves out half of the pairs of a zigzag ring where the mask is not causal",
    .source = "pytorch/pytorch #141429",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x1",
    .kernel =
        [] { return mesh_mutant<ZigzagHalvesWithoutCausality>("zigzag_halves_without_causality", zigzag_of_two); },
    .twin = [] { return mesh_twin(zigzag_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
