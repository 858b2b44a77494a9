// SPDX-License-Identifier: Apache-2.0
// Mutant: what dropout keeps is not scaled.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutNotScaled : TiledSteps {
  float kept_factor(double) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "dropout_not_scaled",
    .summary = "forgets the factor 1 / (1 - rate)",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x4 dropout=0.5",
    .variant = "dropout not scaled",
    .kernel = [] { return tiled_mutant<DropoutNotScaled>("dropout_not_scaled"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
