// SPDX-License-Identifier: Apache-2.0
// Mutant: the bias is given the derivative of the cap.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SlopeOfSoftcapForBias : FusedSteps {
  void differentiate(ScoreGradient& pair, float delta) const override {
    FusedSteps::differentiate(pair, delta);
    pair.dbias = pair.dq_s;
  }
};

const Registration<Mutant> registered{{
    .name = "slope_of_softcap_for_bias",
    .summary = "multiplies dBias by 1 - tanh^2, though the bias is added after the cap",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 score=softcap:0.5&bias:full pass=forward+backward",
    .kernel = [] { return fused_mutant<SlopeOfSoftcapForBias>("slope_of_softcap_for_bias"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
