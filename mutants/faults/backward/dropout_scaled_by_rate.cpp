// SPDX-License-Identifier: Apache-2.0
// Mutant: the backward pass scales dropout by the rate.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutScaledByRate : FusedSteps {
  float kept_factor(double rate) const override { return static_cast<float>(rate); }
};

const Registration<Mutant> registered{{
    .name = "dropout_scaled_by_rate",
    .summary = "multiplies what dropout keeps by the rate instead of 1 / (1 - rate), in the backward pass only",
    .source = "NVIDIA/apex PR #816",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x4x4x4 dropout=0.25 pass=forward+backward",
    .variant = "dropout scaled by the rate in the backward pass",
    .kernel = [] { return fused_mutant<DropoutScaledByRate>("dropout_scaled_by_rate"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
