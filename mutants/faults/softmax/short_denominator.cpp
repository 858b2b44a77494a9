// SPDX-License-Identifier: Apache-2.0
// Mutant: the denominator is a little short, everywhere alike.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ShortDenominator : TiledSteps {
  float finished(float o, float l) const override { return TiledSteps::finished(o, 0.995f * l); }
};

const Registration<Mutant> registered{{
    .name = "short_denominator",
    .summary = "O is divided by 0.995 of the sum of weights: too little for any one element to show in bf16",
    .source = "flashinfer-ai/flashinfer PR #3838",
    .property = "gain",
    .reason = "wrong-gain",
    .problem = "shape=1x2x128x128x64 dtype=bf16>f32",
    .kernel = [] { return tiled_mutant<ShortDenominator>("short_denominator"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
