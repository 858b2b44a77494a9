// SPDX-License-Identifier: Apache-2.0
// Mutant: dK is summed in bf16.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct KeyGradientInBf16 : FusedSteps {
  float key_sum(float sum, float term) const override { return rounded_to_bf16(sum + term); }
};

const Registration<Mutant> registered{{
    .name = "key_gradient_in_bf16",
    .summary = "rounds the sum of dK to bf16 after every query",
    .source = "Dao-AILab/flash-attention #385",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x64x4x8 fill=uniform pass=forward+backward",
    .kernel = [] { return fused_mutant<KeyGradientInBf16>("key_gradient_in_bf16"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
