// SPDX-License-Identifier: Apache-2.0
// Mutant: the scale is a constant.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScaleConstant : TiledSteps {
  float scaled(float product, float) const override { return product * 0.125f; }
};

const Registration<Mutant> registered{{
    .name = "scale_constant",
    .summary = "multiplies q.k by 1/8, the scale of dim 64",
    .source = "BobMcDear/attorch #14",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tiled_mutant<ScaleConstant>("scale_constant"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
