// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits is the largest q.k, without the scale.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsUnscaled : TiledSteps {
  float scaled_logit(float product, float) const override { return product; }
};

const Registration<Mutant> registered{{
    .name = "max_logits_unscaled",
    .summary = "the largest score is taken before the scale",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x4x4x4 wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsUnscaled>("max_logits_unscaled"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
