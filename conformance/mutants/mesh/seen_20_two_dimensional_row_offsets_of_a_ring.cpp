// SPDX-License-Identifier: Apache-2.0
// Wrong program: first rows of a place are computed as those of a ring alone: a group whose members differ by a row
// holds others.
// Source: own. Wrong on: ulysses x ring, both of two or more, lengths of which a ring alone makes other parts,
// causal and other masks and alibi, bias, dropout; both passes.
// Wrong answer: ulysses:2+ring:2 shape=1x2x6x6x8 mask=causal
#include <algorithm>
#include <numeric>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class RowOffsetsOfARing final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_20_two_dimensional_row_offsets_of_a_ring";
  using ChangedSteps::ChangedSteps;

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

const Registration<RankProgramEntry> registered{
    two_dimensional_entry<RowOffsetsOfARing>("numbers the rows of a group as if the ring alone had dealt them")};

}  // namespace
}  // namespace attestone
