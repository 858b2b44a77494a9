// SPDX-License-Identifier: Apache-2.0
// Mutant: a first head that is the place times the number of own heads.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class UnevenHeadsNumberedEvenly final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const auto evenly = [&](Interval right) {
      const index first = rank.ulysses.place * right.count();
      return Interval{first, first + right.count() - 1};
    };
    const HeldHeads held = rank.held_heads();
    return {evenly(held.query), evenly(held.kv)};
  }
};

const Registration<Mutant> registered{{
    .name = "uneven_heads_numbered_evenly",
    .summary = "numbers the heads of a device as if all devices had as many",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x3x1x2x1 score=alibi",
    .kernel =
        [] { return mesh_mutant<UnevenHeadsNumberedEvenly>("uneven_heads_numbered_evenly", uneven_ulysses_of_two); },
    .twin = [] { return mesh_twin(uneven_ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
