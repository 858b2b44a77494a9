// SPDX-License-Identifier: Apache-2.0
// Mutant: weights are bf16 in an f32 kernel.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WeightsInBf16 : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, rounded_to_bf16(p), v, visible);
  }
};

const Registration<Mutant> registered{{
    .name = "weights_in_bf16",
    .summary = "rounds weights to bf16 before they meet V, in f32 as well",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tiled_mutant<WeightsInBf16>("weights_in_bf16"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
