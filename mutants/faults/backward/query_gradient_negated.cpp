// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ has the wrong sign.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientNegated : FusedSteps {
  float query_factor(float scale) const override { return -scale; }
};

const Registration<Mutant> registered{{
    .name = "query_gradient_negated",
    .summary = "answers -dQ",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dQ negated",
    .kernel = [] { return fused_mutant<QueryGradientNegated>("query_gradient_negated"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
