// SPDX-License-Identifier: Apache-2.0
// Mutant: two exchanges of one group that one member starts the other way round.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class ExchangeInOtherOrder final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  bool value_first(const Rank& rank) const override { return rank.ulysses.place > 0; }
};

const Registration<Mutant> registered{{
    .name = "exchange_in_other_order",
    .summary = "starts the exchange of V before that of K on every device of a group but the first",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1",
    .kernel = [] { return mesh_mutant<ExchangeInOtherOrder>("exchange_in_other_order", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
