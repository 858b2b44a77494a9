// SPDX-License-Identifier: Apache-2.0
// Zigzag rings whose rows are taken for neighbouring ones, or for two equal halves.
#include <numeric>

#include "mutants/hosts/mesh_changes.hpp"
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

class ZigzagRowsTakenForBlocks final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldRows row_numbers(const Rank& rank, const Shards& shards, index place, bool backward) const override {
    if (!backward) return MeshSteps::row_numbers(rank, shards, place, backward);
    std::vector<std::vector<index>> numbers;
    for (index sequence = 0; sequence < shards.of_ring(place).sequences(); ++sequence) {
      index first = 0;
      for (index before = 0; before < place; ++before) first += shards.of_ring(before).count(sequence);
      std::vector<index>& own = numbers.emplace_back(static_cast<std::size_t>(shards.of_ring(place).count(sequence)));
      std::iota(own.begin(), own.end(), first);
    }
    return HeldRows(std::move(numbers));
  }
};

const Registrations<Mutant> registered{
    {.name = "zigzag_chunks_taken_for_halves",
     .summary =
         "cuts what a device of a zigzag ring holds in the middle, where one chunk has a row more than the other",
     .source = "jzhang38/EasyContext PR #57",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x5x5x1 mask=causal",
     .kernel = [] { return mesh_mutant<ZigzagChunksTakenForHalves>("zigzag_chunks_taken_for_halves", zigzag_of_two); },
     .twin = [] { return mesh_twin(zigzag_of_two); }},
    {.name = "zigzag_halves_without_causality",
     .summary = "leaves out half of the pairs of a zigzag ring where the mask is not causal",
     .source = "pytorch/pytorch #141429",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x1",
     .kernel =
         [] { return mesh_mutant<ZigzagHalvesWithoutCausality>("zigzag_halves_without_causality", zigzag_of_two); },
     .twin = [] { return mesh_twin(zigzag_of_two); }},
    {.name = "zigzag_rows_taken_for_blocks",
     .summary = "numbers the rows of a zigzag ring one after the other where biases and dropout of the backward pass "
                "ask for them",
     .source = "THUDM/slime #1871",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x4x4x1 score=alibi pass=forward+backward",
     .kernel = [] { return mesh_mutant<ZigzagRowsTakenForBlocks>("zigzag_rows_taken_for_blocks", zigzag_of_two); },
     .twin = [] { return mesh_twin(zigzag_of_two); }},
    {.name = "gathered_queries_taken_for_blocks",
     .summary = "takes gathered queries of zigzag places for those of neighbouring rows",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x1 mask=causal",
     .kernel =
         [] {
           return mesh_mutant("gathered_queries_taken_for_blocks", zigzag_keys_of_two,
                              {.queries = [](const Rank& rank) { return as_blocks(rank.queries, rank.ring.size()); }});
         },
     .twin = [] { return mesh_twin(zigzag_keys_of_two); }},
    {.name = "gathered_zigzag_taken_for_blocks",
     .summary =
         "takes gathered keys of zigzag places for those of neighbouring rows, in the order in which places come",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x1 mask=causal",
     .kernel =
         [] {
           return mesh_mutant("gathered_zigzag_taken_for_blocks", gathering_zigzag_of_two,
                              {.keys = [](const Rank& rank) { return as_blocks(rank.keys, rank.ring.size()); }});
         },
     .twin = [] { return mesh_twin(gathering_zigzag_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
