// SPDX-License-Identifier: Apache-2.0
// Mutant: dK lacks the scale.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScaleMissingInKeyGradient : FusedSteps {
  float key_factor(float) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "scale_missing_in_key_gradient",
    .summary = "forgets the scale in dK",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dK not scaled",
    .kernel = [] { return fused_mutant<ScaleMissingInKeyGradient>("scale_missing_in_key_gradient"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
