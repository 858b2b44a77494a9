// SPDX-License-Identifier: Apache-2.0
// Mutant: a row that looks silent keeps the delta of the row before it.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct StaleDelta : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    if (dO.front() != 0) last = FusedSteps::delta(dO, O, stored);
    return last;
  }
  mutable float last = 0;
};

const Registration<Mutant> registered{{
    .name = "stale_delta",
    .summary = "does not recompute delta for a row whose dO begins with 0",
    .property = "gradient_adds_up",
    .reason = "gradient-not-linear",
    .problem = "shape=1x1x2x2x2 pass=forward+backward",
    .kernel = [] { return fused_mutant<StaleDelta>("stale_delta"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
