// SPDX-License-Identifier: Apache-2.0
// Mutant: weights are cut to bf16.
#include <bit>
#include <cstdint>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WeightsTruncated : TiledSteps {
  float weight_for_values(float p, const DType&) const override {
    constexpr std::uint32_t upper_half = 0xFFFF0000;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) & upper_half);
  }
};

const Registration<Mutant> registered{{
    .name = "weights_truncated",
    .summary = "cuts the lower half off the weights that meet V, while the denominator adds them whole",
    .source = "Dao-AILab/flash-attention PR #2721",
    .property = "gain",
    .reason = "wrong-gain",
    .problem = "shape=1x2x64x256x32 dtype=bf16>f32 fill=uniform",
    .kernel = [] { return tiled_mutant<WeightsTruncated>("weights_truncated"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
