// SPDX-License-Identifier: Apache-2.0
// Mutant: the bias is capped with the score.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BiasBeforeSoftcap : TiledSteps {
  float biased(float score, std::optional<float> cap, bool visible, double bias) const override {
    return masked(static_cast<float>(double{score} + bias), cap, visible);
  }
};

const Registration<Mutant> registered{{
    .name = "bias_before_softcap",
    .summary = "adds the bias before the cap, which then bends it as well",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 score=softcap:0.5&bias:full",
    .variant = "softcap after the bias",
    .kernel = [] { return tiled_mutant<BiasBeforeSoftcap>("bias_before_softcap"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
