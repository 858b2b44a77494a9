// SPDX-License-Identifier: Apache-2.0
// Mutant: a mask is a large negative number.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct HiddenScoresMinusThirty : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(score, cap) - (visible ? 0.0f : 30.0f);
  }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

const Registration<Mutant> registered{{
    .name = "hidden_scores_minus_thirty",
    .summary = "subtracts 30 from hidden scores instead of leaving them out: too little weight for any tolerance",
    .property = "exact_mask",
    .reason = "wrong-mask",
    .problem = "shape=1x1x1x2x2 mask=window:0:0",
    .kernel = [] { return tiled_mutant<HiddenScoresMinusThirty>("hidden_scores_minus_thirty"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
