// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ has the scale twice.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScaleTwiceInQueryGradient : FusedSteps {
  float query_factor(float scale) const override { return scale * scale; }
};

const Registration<Mutant> registered{{
    .name = "scale_twice_in_query_gradient",
    .summary = "multiplies dQ by the square of the scale",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dQ scaled twice",
    .kernel = [] { return fused_mutant<ScaleTwiceInQueryGradient>("scale_twice_in_query_gradient"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
