// SPDX-License-Identifier: Apache-2.0
// Wrong program: the backward pass numbers rows as if devices held neighbouring ones, whatever the placement: masks
// come out right, which are cut beforehand, but biases and dropout are those of other pairs.
// Source: bugs.md M09 (slime #1871), the other way round. Wrong on: ring with placement=zigzag or striped, backward
// pass of problems with alibi, bias or dropout.
// Wrong answer: ring:2 shape=1x2x6x6x8 score=alibi pass=forward+backward, with placement=striped
#include <numeric>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class RowsNumberedAsBlocks final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_05_ring_rows_numbered_as_blocks";
  using ChangedSteps::ChangedSteps;

 protected:
  HeldRows row_numbers(const Rank& rank, const Shards& shards, index place, bool backward) const override {
    if (!backward) return ChangedSteps::row_numbers(rank, shards, place, backward);
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

const Registration<RankProgramEntry> registered{ring_entry<RowsNumberedAsBlocks>(
    "the backward pass takes zigzag and striped rows for neighbouring ones where biases and dropout ask for them")};

}  // namespace
}  // namespace attestone
