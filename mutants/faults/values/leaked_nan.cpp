// SPDX-License-Identifier: Apache-2.0
// Mutant: hidden values are multiplied by a weight of 0 instead of left out.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LeakedNaN : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

const Registration<Mutant> registered{{
    .name = "leaked_nan",
    .summary = "p v is added for hidden keys as well: 0 times NaN is NaN",
    .source = "pytorch/pytorch #101967",
    .property = "invisible_keys_ignored",
    .reason = "invisible-key",
    .problem = "shape=1x1x2x2x1 mask=causal",
    .kernel = [] { return tiled_mutant<LeakedNaN>("leaked_nan"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
