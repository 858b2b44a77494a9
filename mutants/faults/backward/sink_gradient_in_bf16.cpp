// SPDX-License-Identifier: Apache-2.0
// Mutant: dSink is summed in bf16.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SinkGradientInBf16 : FusedSteps {
  float sink_sum(float sum, float term) const override { return rounded_to_bf16(sum + term); }
};

const Registration<Mutant> registered{{
    .name = "sink_gradient_in_bf16",
    .summary = "rounds the sum of dSink to bf16 after every row",
    .source = "jax-ml/jax PR #40140",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x64x4x8 score=sink:head fill=uniform pass=forward+backward",
    .kernel = [] { return fused_mutant<SinkGradientInBf16>("sink_gradient_in_bf16"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
