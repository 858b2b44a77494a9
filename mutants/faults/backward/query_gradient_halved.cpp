// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ is half as large as it should be.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientHalved : FusedSteps {
  float query_factor(float scale) const override { return scale / 2; }
};

const Registration<Mutant> registered{{
    .name = "query_gradient_halved",
    .summary = "answers dQ / 2",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dQ halved",
    .kernel = [] { return fused_mutant<QueryGradientHalved>("query_gradient_halved"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
