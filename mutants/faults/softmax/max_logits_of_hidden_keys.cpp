// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits counts keys that the mask hides.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsOfHiddenKeys : TiledSteps {
  float logit(float score, std::optional<float> cap, bool, double bias) const override {
    return biased(score, cap, true, bias);
  }
};

const Registration<Mutant> registered{{
    .name = "max_logits_of_hidden_keys",
    .summary = "the largest score is taken before the mask",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x8x8x4 mask=causal wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsOfHiddenKeys>("max_logits_of_hidden_keys"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
