// SPDX-License-Identifier: Apache-2.0
// Mutant: the derivative of the cap is forgotten.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct NoSlopeOfSoftcap : FusedSteps {
  float slope(float) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "no_slope_of_softcap",
    .summary = "leaves out the factor 1 - tanh^2",
    .source = "openxla/tokamax PR #1121",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 score=softcap:0.5 pass=forward+backward",
    .variant = "no slope of the softcap",
    .kernel = [] { return fused_mutant<NoSlopeOfSoftcap>("no_slope_of_softcap"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
