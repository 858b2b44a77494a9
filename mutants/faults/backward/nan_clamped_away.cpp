// SPDX-License-Identifier: Apache-2.0
// Mutant: the recomputed weight is clamped to 1, which hides NaN.
#include <cmath>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct NanClampedAway : FusedSteps {
  float weight(float s, float L) const override { return std::fmin(FusedSteps::weight(s, L), 1.0f); }
};

const Registration<Mutant> registered{{
    .name = "nan_clamped_away",
    .summary = "takes the smaller of 1 and the weight with fmin, which answers 1 for NaN",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x24x2 fill=nonfinite pass=forward+backward seed=3",
    .kernel = [] { return fused_mutant<NanClampedAway>("nan_clamped_away"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
