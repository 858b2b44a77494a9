// SPDX-License-Identifier: Apache-2.0
// Mutant: dBias is not summed over broadcast axes.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BiasGradientNotSummed : FusedSteps {
  float bias_sum(float, float term) const override { return term; }
};

const Registration<Mutant> registered{{
    .name = "bias_gradient_not_summed",
    .summary = "writes the gradient of a shared bias instead of adding to it: the last head wins",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x1x2x2 score=bias:pair pass=forward+backward",
    .kernel = [] { return fused_mutant<BiasGradientNotSummed>("bias_gradient_not_summed"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
