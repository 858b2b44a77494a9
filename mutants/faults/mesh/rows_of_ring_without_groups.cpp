// SPDX-License-Identifier: Apache-2.0
// Mutant: first rows as a ring alone would deal them.
#include <algorithm>
#include <numeric>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "rows_of_ring_without_groups",
    .summary = "numbers the rows of a group as if its mesh were a ring and nothing else",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x6x6x1 mask=causal",
    .kernel = [] { return mesh_mutant<RowsOfRingWithoutGroups>("rows_of_ring_without_groups", two_by_two); },
    .twin = [] { return mesh_twin(two_by_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
