// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits is taken before the softcap.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsBeforeSoftcap : TiledSteps {
  float logit(float score, std::optional<float>, bool visible, double bias) const override {
    return biased(score, std::nullopt, visible, bias);
  }
};

const Registration<Mutant> registered{{
    .name = "max_logits_before_softcap",
    .summary = "the largest score is taken before the softcap",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x4x4x1 score=softcap:1 wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsBeforeSoftcap>("max_logits_before_softcap"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
