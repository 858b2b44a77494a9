// SPDX-License-Identifier: Apache-2.0
// Devices that number their rows as if they stood elsewhere, and so mask other keys.
#include <algorithm>
#include <numeric>

#include "mutants/hosts/mesh.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Rank r takes itself for rank N - 1 - r of the ring.
class PlacesMirrored final : public ChangedMethod {
 public:
  PlacesMirrored() : ChangedMethod("ring:parts=output") {}

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    Rank believes = rank;
    believes.ring = mirrored(rank.ring);
    Task<RankAnswer> task = right().forward(believes, std::move(inputs));
    co_return co_await task;
  }
};

class RingsNumberedFromTheEnd final : public ChangedMethod {
 public:
  RingsNumberedFromTheEnd() : ChangedMethod(rings_of_two.method) {}

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    Rank believes = rank;
    believes.outer = mirrored(rank.outer);
    Task<RankAnswer> task = right().forward(believes, std::move(inputs));
    co_return co_await task;
  }
};

class RowsOfRingWithoutGroups final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldRows row_numbers(const Rank& rank, const Shards& shards, index place, bool) const override {
    const HeldRows& right = shards.of_ring(place);
    if (dealing() != Dealing::block) return right;
    const bool of_queries = &shards == &rank.queries;
    std::vector<std::vector<index>> numbers;
    for (index sequence = 0; sequence < right.sequences(); ++sequence) {
      const Sequence lengths = rank.attention.whole().sequence(sequence);
      const index length = of_queries ? lengths.queries : lengths.keys, places = rank.ring.size();
      const index first = place * (length / places) + std::min(place, length % places);
      const index last_first = length - right.count(sequence);
      std::vector<index>& own = numbers.emplace_back(static_cast<std::size_t>(right.count(sequence)));
      std::iota(own.begin(), own.end(), std::clamp(first, index{0}, std::max(last_first, index{0})));
    }
    return HeldRows(std::move(numbers));
  }
  Blocks blocks(const RingStep& step) const override {
    const HeldRows queries = row_numbers(step.rank, step.rank.queries, step.rank.ring.place, step.backward);
    const HeldRows keys = row_numbers(step.rank, step.rank.keys, step.source(), step.backward);
    const LocalQueries numbered{queries, step.queries.heads, step.queries.query};
    return step.rank.attention.blocks(numbered, keys);
  }
};

class RingTakenForInnerAxis final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const index place = step.rank.communicator.rank() % step.places();
    const Shape& shape = step.whole().shape;
    const bool square =
        shape.queries == shape.keys && step.whole().lengths.empty() && step.whole().query_lengths.empty();
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && square && step.number > place) return {};
    return MeshSteps::blocks(step);
  }
};

class CausalHopsByPlace final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const bool later = step.source() > step.rank.ring.place;
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && later) return {};
    return MeshSteps::blocks(step);
  }
};

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

class WindowHopsByLongestSequence final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Mask& mask = step.whole().mask;
    const bool looks_back = mask.kind() == Mask::Kind::rule && mask.rule() == "window" && mask.arguments()[1] == 0;
    if (looks_back && step.number > reach(step, mask.arguments()[0])) return {};
    return MeshSteps::blocks(step);
  }

 private:
  /// How many devices back the window reaches in the longest sequence; all of them where extents differ.
  static index reach(const RingStep& step, index rows) {
    index longest = step.places();
    for (index batch = 0; batch < step.whole().shape.batch; ++batch) {
      const Sequence sequence = step.whole().sequence(batch);
      if (sequence.queries != sequence.keys) return step.places();
      longest = std::max(longest, sequence.keys);
    }
    const index shard = longest / step.places();
    return (rows + shard - 1) / shard;
  }
};

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

class PositionsInInputFormat final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldRows row_numbers(const Rank& rank, const Shards& shards, index place, bool /*backward*/) const override {
    const HeldRows& rows = shards.of_ring(place);
    const Problem& whole = rank.attention.whole();
    if (&shards != &rank.keys || !whole.score.bias_formula()) return rows;
    std::vector<std::vector<index>> numbers;
    for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
      numbers.push_back(rows.of(sequence));
      for (index& number : numbers.back()) number = static_cast<index>(whole.input.round(static_cast<double>(number)));
    }
    return HeldRows(std::move(numbers));
  }
};

const Registrations<Mutant> registered{
    {.name = "places_mirrored",
     .summary = "masks a ring's rows by the positions of the device at the other end",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x1 mask=causal",
     .kernel = [] { return mesh_mutant("places_mirrored", std::make_shared<PlacesMirrored>(), "ring:2"); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "rings_numbered_from_the_end",
     .summary = "masks what rings of a double ring hold by the positions of the rings at the other end",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x1 mask=causal",
     .kernel =
         [] {
           return mesh_mutant("rings_numbered_from_the_end", std::make_shared<RingsNumberedFromTheEnd>(),
                              rings_of_two.mesh);
         },
     .twin = [] { return mesh_twin(rings_of_two); }},
    {.name = "rows_of_ring_without_groups",
     .summary = "numbers the rows of a group as if its mesh were a ring and nothing else",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x6x6x1 mask=causal",
     .kernel = [] { return mesh_mutant<RowsOfRingWithoutGroups>("rows_of_ring_without_groups", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
    {.name = "ring_taken_for_inner_axis",
     .summary = "skips what a causal mask hides as if the ring were the inner axis of the mesh",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x4x1 mask=causal",
     .kernel = [] { return mesh_mutant<RingTakenForInnerAxis>("ring_taken_for_inner_axis", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
    {.name = "causal_hops_by_place",
     .summary = "skips keys of later devices under every causal mask, also where there are more keys than queries",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x1 mask=causal",
     .kernel = [] { return mesh_mutant<CausalHopsByPlace>("causal_hops_by_place", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "blocks_by_first_sequence",
     .summary = "takes the last key of the first sequence's block for that of all sequences",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x1x4x1 lengths=2+4",
     .kernel = [] { return mesh_mutant<BlocksByFirstSequence>("blocks_by_first_sequence", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "window_hops_by_longest_sequence",
     .summary = "asks as many devices back for keys within a window as the longest sequence of the batch needs",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x9x9x1 lengths=9+3 query_lengths=9+3 mask=window:2:0",
     .kernel =
         [] { return mesh_mutant<WindowHopsByLongestSequence>("window_hops_by_longest_sequence", ring_of_three); },
     .twin = [] { return mesh_twin(ring_of_three); }},
    {.name = "lengths_rounded_down",
     .summary =
         "takes length / devices keys of every device of a ring, so that nobody sees what the division leaves over",
     .source = "NVIDIA/TransformerEngine #3331; NVIDIA/TransformerEngine #1930",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x1",
     .kernel = [] { return mesh_mutant<LengthsRoundedDown>("lengths_rounded_down", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "positions_in_input_format",
     .summary = "rounds the positions of keys to the format of K where a bias follows from them by a formula",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/1x1x518x4 score=relative_position:0.5 dtype=bf16",
     .kernel = [] { return mesh_mutant<PositionsInInputFormat>("positions_in_input_format", zigzag_of_two); },
     .twin = [] { return mesh_twin(zigzag_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
