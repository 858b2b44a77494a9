// SPDX-License-Identifier: Apache-2.0
// Mutant: a mean over devices that should have been a sum.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "gathered_gradients_averaged",
    .summary = "averages gradients of gathered keys over the places that gathered them",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x2x2x1 pass=forward+backward",
    .kernel =
        [] {
          return mesh_mutant("gathered_gradients_averaged", gathering_two,
                             {.gradients = [](const Rank& rank, RankGradients& gradients) {
                               for (Buffer* sum : {&gradients.dkey, &gradients.dvalue})
                                 scale(*sum, 1.0 / static_cast<double>(rank.ring.size()));
                             }});
        },
    .twin = [] { return mesh_twin(gathering_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
