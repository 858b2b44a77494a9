// SPDX-License-Identifier: Apache-2.0
// Mutant: positions of keys that travel beside them, as numbers of their format.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "positions_in_input_format",
    .summary = "rounds the positions of keys to the format of K where a bias follows from them by a formula",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/1x1x518x4 score=relative_position:0.5 dtype=bf16",
    .kernel = [] { return mesh_mutant<PositionsInInputFormat>("positions_in_input_format", zigzag_of_two); },
    .twin = [] { return mesh_twin(zigzag_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
