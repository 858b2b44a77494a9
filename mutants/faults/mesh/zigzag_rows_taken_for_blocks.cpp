// SPDX-License-Identifier: Apache-2.0
// Mutant: rows that are numbered as if devices held neighbouring ones.
#include <numeric>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "zigzag_rows_taken_for_blocks",
    .summary = "numbers the rows of a zigzag ring one after the other where biases and dropout of the backward pass "
               "ask for them",
    .source = "THUDM/slime #1871",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x4x4x1 score=alibi pass=forward+backward",
    .kernel = [] { return mesh_mutant<ZigzagRowsTakenForBlocks>("zigzag_rows_taken_for_blocks", zigzag_of_two); },
    .twin = [] { return mesh_twin(zigzag_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
