// SPDX-License-Identifier: Apache-2.0
// Mutant: keys that go round one way while their values go round the other.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "halves_of_values_exchanged",
    .summary = "sends the values of the second half of its keys with the keys of the first half",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x4x1",
    .kernel =
        [] {
          return mesh_mutant("halves_of_values_exchanged", halves_of_two,
                             {.inputs = [](const Rank& rank, RankInputs& held) {
                               exchange_halves(rank.keys.of_ring(rank.ring.place), held.value);
                             }});
        },
    .twin = [] { return mesh_twin(halves_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
