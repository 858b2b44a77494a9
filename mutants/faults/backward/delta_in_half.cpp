// SPDX-License-Identifier: Apache-2.0
// Mutant: delta is kept in the input format.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DeltaInHalf : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    return rounded_to_bf16(FusedSteps::delta(dO, O, stored));
  }
};

const Registration<Mutant> registered{{
    .name = "delta_in_half",
    .summary = "rounds delta to bf16 before it is subtracted",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x4x4x64 pass=forward+backward",
    .kernel = [] { return fused_mutant<DeltaInHalf>("delta_in_half"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
