// SPDX-License-Identifier: Apache-2.0
// Mutant: halves that are put together in the order in which their ways end.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "halves_of_gradients_exchanged",
    .summary = "puts the gradients of the second halves of keys before those of the first ones",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x4x1 pass=forward+backward",
    .kernel =
        [] {
          return mesh_mutant("halves_of_gradients_exchanged", halves_of_two,
                             {.gradients = [](const Rank& rank, RankGradients& gradients) {
                               for (Buffer* sum : {&gradients.dkey, &gradients.dvalue})
                                 exchange_halves(rank.keys.of_ring(rank.ring.place), *sum);
                             }});
        },
    .twin = [] { return mesh_twin(halves_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
