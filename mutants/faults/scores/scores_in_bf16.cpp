// SPDX-License-Identifier: Apache-2.0
// Mutant: scores are stored in bf16.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScoresInBf16 : TiledSteps {
  float scaled(float product, float scale) const override { return rounded_to_bf16(product * scale); }
};

const Registration<Mutant> registered{{
    .name = "scores_in_bf16",
    .summary = "stores scaled scores in bf16",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tiled_mutant<ScoresInBf16>("scores_in_bf16"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
