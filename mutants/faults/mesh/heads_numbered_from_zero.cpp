// SPDX-License-Identifier: Apache-2.0
// Mutant: heads that every member numbers from 0.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class HeadsNumberedFromZero final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const HeldHeads held = rank.held_heads();
    return {{0, held.query.count() - 1}, {0, held.kv.count() - 1}};
  }
};

const Registration<Mutant> registered{{
    .name = "heads_numbered_from_zero",
    .summary = "takes the heads that a device has after the exchange for the first ones of all",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1 score=alibi",
    .variant = "bias of the first head",
    .kernel = [] { return mesh_mutant<HeadsNumberedFromZero>("heads_numbered_from_zero", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
