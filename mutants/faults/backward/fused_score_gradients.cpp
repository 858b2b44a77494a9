// SPDX-License-Identifier: Apache-2.0
// Backward passes whose dS is wrong: in dP, in delta, or in the slope of the softcap.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ShortGradientProduct : FusedSteps {
  index gradient_channels(const Shape& shape) const override { return std::min(shape.dim, shape.value_dim); }
};

struct NoDelta : FusedSteps {
  float delta(std::span<const float>, std::span<const float>, const DType&) const override { return 0; }
};

struct StaleDelta : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    if (dO.front() != 0) last = FusedSteps::delta(dO, O, stored);
    return last;
  }
  mutable float last = 0;
};

struct DeltaInHalf : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    return rounded_to_bf16(FusedSteps::delta(dO, O, stored));
  }
};

struct DeltaTruncated : FusedSteps {
  float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const override {
    constexpr std::uint32_t upper_half = 0xFFFF0000;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(FusedSteps::delta(dO, O, stored)) & upper_half);
  }
};

struct InfiniteGradientsLost : FusedSteps {
  void differentiate(ScoreGradient& gradient, float delta) const override {
    FusedSteps::differentiate(gradient, delta);
    for (float* sent : {&gradient.dbias, &gradient.dq_s, &gradient.dk_s})
      if (std::isinf(*sent)) *sent = 0;
  }
};

struct NoSlopeOfSoftcap : FusedSteps {
  float slope(float) const override { return 1; }
};

struct SlopeOfSoftcapForBias : FusedSteps {
  void differentiate(ScoreGradient& pair, float delta) const override {
    FusedSteps::differentiate(pair, delta);
    pair.dbias = pair.dq_s;
  }
};

struct SlopeOfSoftcapForQueryOnly : FusedSteps {
  void differentiate(ScoreGradient& pair, float delta) const override {
    FusedSteps::differentiate(pair, delta);
    pair.dk_s = pair.dbias;
  }
};

const Registrations<Mutant> registered{
    {.name = "short_gradient_product",
     .summary = "sums dO.v over dim channels where there are value_dim",
     .source = "fla-org/flash-linear-attention #632",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1:2 pass=forward+backward",
     .kernel = [] { return fused_mutant<ShortGradientProduct>("short_gradient_product"); },
     .twin = tiled_twin},
    {.name = "no_delta",
     .summary = "dS = P dP, without subtracting delta",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "no delta",
     .kernel = [] { return fused_mutant<NoDelta>("no_delta"); },
     .twin = tiled_twin},
    {.name = "stale_delta",
     .summary = "does not recompute delta for a row whose dO begins with 0",
     .property = "gradient_adds_up",
     .reason = "gradient-not-linear",
     .problem = "shape=1x1x2x2x2 pass=forward+backward",
     .kernel = [] { return fused_mutant<StaleDelta>("stale_delta"); },
     .twin = tiled_twin},
    {.name = "delta_in_half",
     .summary = "rounds delta to bf16 before it is subtracted",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x4x4x64 pass=forward+backward",
     .kernel = [] { return fused_mutant<DeltaInHalf>("delta_in_half"); },
     .twin = tiled_twin},
    {.name = "delta_truncated",
     .summary = "cuts the lower half off delta to store it as bf16, instead of rounding it",
     .property = "unbiased_delta",
     .reason = "biased",
     .problem = "shape=1024x1x2x24x4 dtype=bf16 fill=tied_maxima pass=forward+backward",
     .kernel = [] { return fused_mutant<DeltaTruncated>("delta_truncated"); },
     .twin = tiled_twin},
    {.name = "infinite_gradients_lost",
     .summary = "sends 0 where the gradient of a score is infinite, and NaN where it is NaN",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x6x2 mask=window:1:0 fill=nonfinite pass=forward+backward seed=10",
     .kernel = [] { return fused_mutant<InfiniteGradientsLost>("infinite_gradients_lost"); },
     .twin = tiled_twin},
    {.name = "no_slope_of_softcap",
     .summary = "leaves out the factor 1 - tanh^2",
     .source = "openxla/tokamax PR #1121",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 score=softcap:0.5 pass=forward+backward",
     .variant = "no slope of the softcap",
     .kernel = [] { return fused_mutant<NoSlopeOfSoftcap>("no_slope_of_softcap"); },
     .twin = tiled_twin},
    {.name = "slope_of_softcap_for_bias",
     .summary = "multiplies dBias by 1 - tanh^2, though the bias is added after the cap",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 score=softcap:0.5&bias:full pass=forward+backward",
     .kernel = [] { return fused_mutant<SlopeOfSoftcapForBias>("slope_of_softcap_for_bias"); },
     .twin = tiled_twin},
    {.name = "slope_of_softcap_for_query_only",
     .summary = "multiplies dS by 1 - tanh^2 for dQ, but not for dK",
     .source = "Dao-AILab/flash-attention PR #1033",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 score=softcap:0.5 pass=forward+backward",
     .variant = "no slope of the softcap in dK",
     .kernel = [] { return fused_mutant<SlopeOfSoftcapForQueryOnly>("slope_of_softcap_for_query_only"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
