// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ is zero.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientZero : FusedSteps {
  float query_factor(float) const override { return 0; }
};

const Registration<Mutant> registered{{
    .name = "query_gradient_zero",
    .summary = "answers zeros for dQ",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dQ zero",
    .kernel = [] { return fused_mutant<QueryGradientZero>("query_gradient_zero"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
