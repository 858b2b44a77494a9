// SPDX-License-Identifier: Apache-2.0
// Mutant: delta is cut to bf16.
#include <bit>
#include <cstdint>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DeltaTruncated : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    constexpr std::uint32_t upper_half = 0xFFFF0000;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(FusedSteps::delta(dO, O, stored)) & upper_half);
  }
};

const Registration<Mutant> registered{{
    .name = "delta_truncated",
    .summary = "cuts the lower half off delta to store it as bf16, instead of rounding it",
    .property = "unbiased_delta",
    .reason = "biased",
    .problem = "shape=1024x1x2x24x4 dtype=bf16 fill=tied_maxima pass=forward+backward",
    .kernel = [] { return fused_mutant<DeltaTruncated>("delta_truncated"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
