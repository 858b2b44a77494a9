// SPDX-License-Identifier: Apache-2.0
// Mutant: dK and dV are not summed over the query heads of a group.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LastHeadOfGroupWins : FusedSteps {
  float group_sum(float, float head) const override { return head; }
};

const Registration<Mutant> registered{{
    .name = "last_head_of_group_wins",
    .summary = "writes dK and dV of each query head over those of the one before",
    .source = "marin-community/levanter PR #449",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2/1x1x2x2 pass=forward+backward",
    .variant = "dK and dV of the last head",
    .kernel = [] { return fused_mutant<LastHeadOfGroupWins>("last_head_of_group_wins"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
