// SPDX-License-Identifier: Apache-2.0
// Weights, values and their sums that are rounded, cut or multiplied where they should not be.
#include "mutants/hosts/tiled.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "backends/cpu/parts/codec.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LeakedNaN : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

/// Fourteen significant bits, the rest cut off.
float cut(float x) {
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, 14)), exponent - 14);
}

struct SumsOf14Bits : TiledSteps {
  float held(float product) const override { return cut(product); }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, p, v, visible);
    for (float& o : O) o = cut(o);
  }
};

struct SumsOfValuesInHalf : TiledSteps {
  float finished(float o, float l) const override { return TiledSteps::finished(rounded_to_bf16(o), l); }
};

struct WeightsInBf16 : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, rounded_to_bf16(p), v, visible);
  }
};

struct WeightsTruncated : TiledSteps {
  float weight_for_values(float p, const DType&) const override {
    constexpr std::uint32_t upper_half = 0xFFFF0000;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) & upper_half);
  }
};

const Registrations<Mutant> registered{
    {.name = "leaked_nan",
     .summary = "p v is added for hidden keys as well: 0 times NaN is NaN",
     .source = "pytorch/pytorch #101967",
     .property = "invisible_keys_ignored",
     .reason = "invisible-key",
     .problem = "shape=1x1x2x2x1 mask=causal",
     .kernel = [] { return tiled_mutant<LeakedNaN>("leaked_nan"); },
     .twin = tiled_twin},
    {.name = "sums_of_14_bits",
     .summary = "cuts sums to fourteen bits, as the e4m3 matrix units of the H100 do",
     .source = "DeepSeek-V3 (arXiv 2412.19437), section 3.3.2",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tiled_mutant<SumsOf14Bits>("sums_of_14_bits"); },
     .twin = tiled_twin},
    {.name = "sums_of_values_in_half",
     .summary = "stores the sum of p v in bf16 before it is divided: no more than one rounding, but it leans",
     .source = "arXiv 2510.04212",
     .property = "unbiased_output",
     .reason = "biased",
     .problem = "shape=2560x1x2x24x4 dtype=bf16 fill=tied_maxima",
     .kernel = [] { return tiled_mutant<SumsOfValuesInHalf>("sums_of_values_in_half"); },
     .twin = tiled_twin},
    {.name = "weights_in_bf16",
     .summary = "rounds weights to bf16 before they meet V, in f32 as well",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tiled_mutant<WeightsInBf16>("weights_in_bf16"); },
     .twin = tiled_twin},
    {.name = "weights_truncated",
     .summary = "cuts the lower half off the weights that meet V, while the denominator adds them whole",
     .source = "Dao-AILab/flash-attention PR #2721",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=1x2x64x256x32 dtype=bf16>f32 fill=uniform",
     .kernel = [] { return tiled_mutant<WeightsTruncated>("weights_truncated"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
