// SPDX-License-Identifier: Apache-2.0
// Mutant: the sums of dQ are not cleared.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientNotCleared : FusedSteps {
  bool starts_at_zero() const override { return false; }
};

const Registration<Mutant> registered{{
    .name = "query_gradient_not_cleared",
    .summary = "adds dQ to memory that nobody has cleared",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .kernel = [] { return fused_mutant<QueryGradientNotCleared>("query_gradient_not_cleared"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
