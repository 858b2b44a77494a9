// SPDX-License-Identifier: Apache-2.0
// Mutant: a mean over parts of the keys that should have been a sum.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "shares_of_query_gradient_averaged",
    .summary = "averages what the keys of each place give to the gradient of a query",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x3x1 pass=forward+backward",
    .variant = "dQ halved",
    .kernel =
        [] {
          return mesh_mutant("shares_of_query_gradient_averaged", keys_of_two,
                             {.gradients = [](const Rank& rank, RankGradients& gradients) {
                               scale(gradients.dquery, 1.0 / static_cast<double>(rank.ring.size()));
                             }});
        },
    .twin = [] { return mesh_twin(keys_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
