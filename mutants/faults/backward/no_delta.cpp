// SPDX-License-Identifier: Apache-2.0
// Mutant: delta is forgotten.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct NoDelta : FusedSteps {
  float delta(std::span<const float>, std::span<const float>, const DType&) const override { return 0; }
};

const Registration<Mutant> registered{{
    .name = "no_delta",
    .summary = "dS = P dP, without subtracting delta",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "no delta",
    .kernel = [] { return fused_mutant<NoDelta>("no_delta"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
