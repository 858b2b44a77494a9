// SPDX-License-Identifier: Apache-2.0
// Mutant: dK lacks the derivative of the cap.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SlopeOfSoftcapForQueryOnly : FusedSteps {
  void differentiate(ScoreGradient& pair, float delta) const override {
    FusedSteps::differentiate(pair, delta);
    pair.dk_s = pair.dbias;
  }
};

const Registration<Mutant> registered{{
    .name = "slope_of_softcap_for_query_only",
    .summary = "multiplies dS by 1 - tanh^2 for dQ, but not for dK",
    .source = "Dao-AILab/flash-attention PR #1033",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 score=softcap:0.5 pass=forward+backward",
    .variant = "no slope of the softcap in dK",
    .kernel = [] { return fused_mutant<SlopeOfSoftcapForQueryOnly>("slope_of_softcap_for_query_only"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
