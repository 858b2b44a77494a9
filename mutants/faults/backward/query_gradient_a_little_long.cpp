// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ is a little too long, everywhere alike.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientALittleLong : FusedSteps {
  float query_factor(float scale) const override { return 1.01f * scale; }
};

const Registration<Mutant> registered{{
    .name = "query_gradient_a_little_long",
    .summary = "dQ is multiplied by 1.01: too little for any one element to show in bf16",
    .property = "gradient_gain",
    .reason = "wrong-gain",
    .problem = "shape=1x2x128x128x64 dtype=bf16>f32 pass=forward+backward",
    .kernel = [] { return fused_mutant<QueryGradientALittleLong>("query_gradient_a_little_long"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
