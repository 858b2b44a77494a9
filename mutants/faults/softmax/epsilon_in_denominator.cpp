// SPDX-License-Identifier: Apache-2.0
// Mutant: a small number keeps the denominator from being 0.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct EpsilonInDenominator : TiledSteps {
  float finished(float o, float l) const override { return o / (l + 1e-6f); }
};

const Registration<Mutant> registered{{
    .name = "epsilon_in_denominator",
    .summary = "adds 1e-6 to the sum of weights, so that rows without keys need no path of their own",
    .property = "exact_mean",
    .reason = "not-exact",
    .problem = "shape=1x1x1x4x2",
    .kernel = [] { return tiled_mutant<EpsilonInDenominator>("epsilon_in_denominator"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
