// SPDX-License-Identifier: Apache-2.0
// Mutant: exponentials have a floor.
#include <algorithm>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WeightsFloored : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, std::max(p, 1e-7f), v, visible);
  }
};

const Registration<Mutant> registered{{
    .name = "weights_floored",
    .summary = "clamps the argument of the exponential, so that no visible key weighs less than 1e-7",
    .property = "exact_selection",
    .reason = "not-exact",
    .problem = "shape=1x1x1x17x8",
    .kernel = [] { return tiled_mutant<WeightsFloored>("weights_floored"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
