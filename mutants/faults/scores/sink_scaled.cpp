// SPDX-License-Identifier: Apache-2.0
// Mutant: the sink is scaled as if it were a product of q and k.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SinkScaled : TiledSteps {
  float sink(float logit, float scale) const override { return logit * scale; }
};

const Registration<Mutant> registered{{
    .name = "sink_scaled",
    .summary = "multiplies the sink by the scale of the scores",
    .source = "local-inference-lab/b12x #119",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x1x16 score=sink:head",
    .variant = "sink scaled",
    .kernel = [] { return tiled_mutant<SinkScaled>("sink_scaled"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
