// SPDX-License-Identifier: Apache-2.0
// Scores whose product or scale is wrong.
#include <cmath>
#include <limits>

#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScaleConstant : TiledSteps {
  float scaled(float product, float) const override { return product * 0.125f; }
};

struct ScaleTwice : TiledSteps {
  float scaled(float product, float scale) const override { return product * scale * scale; }
};

struct ScoresInBf16 : TiledSteps {
  float scaled(float product, float scale) const override { return rounded_to_bf16(product * scale); }
};

struct ScoreOverflow : TiledSteps {
  /// x = high + low to 22 bits, the way to emulate f32 on units that hold f16.
  float held(float product) const override {
    const DType& f16 = dtype("f16");
    const double high = f16.round(product);
    return static_cast<float>(high + f16.round(product - high));
  }
};

struct NanClampedInScores : TiledSteps {
  float held(float product) const override { return std::fmin(std::fmax(product, -1e30f), 1e30f); }
};

struct ZeroScoresHidden : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return score == 0 ? -std::numeric_limits<float>::infinity() : TiledSteps::masked(score, cap, visible);
  }
};

const Registrations<Mutant> registered{
    {.name = "scale_constant",
     .summary = "multiplies q.k by 1/8, the scale of dim 64",
     .source = "BobMcDear/attorch #14",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tiled_mutant<ScaleConstant>("scale_constant"); },
     .twin = tiled_twin},
    {.name = "scale_twice",
     .summary = "q.k is multiplied by the scale twice",
     .source = "HKUSTDial/flash-sparse-attention PR #106",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x4",
     .variant = "scale twice",
     .kernel = [] { return tiled_mutant<ScaleTwice>("scale_twice"); },
     .twin = tiled_twin},
    {.name = "scores_in_bf16",
     .summary = "stores scaled scores in bf16",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tiled_mutant<ScoresInBf16>("scores_in_bf16"); },
     .twin = tiled_twin},
    {.name = "score_overflow",
     .summary = "q.k is held as the sum of two f16 numbers, and is NaN beyond 65504",
     .source = "pytorch/pytorch #121558",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x1x2x64 dtype=bf16 fill=large_logits",
     .kernel = [] { return tiled_mutant<ScoreOverflow>("score_overflow"); },
     .twin = tiled_twin},
    {.name = "nan_clamped_in_scores",
     .summary = "keeps q.k between -1e30 and 1e30 with fmin and fmax, which take NaN for the lower end",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x24x2 fill=nonfinite seed=3",
     .kernel = [] { return tiled_mutant<NanClampedInScores>("nan_clamped_in_scores"); },
     .twin = tiled_twin},
    {.name = "zero_scores_hidden",
     .summary = "a key whose q.k is exactly 0 is left out",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=100x1x2x4x2 dtype=bf16 fill=few_valued",
     .kernel = [] { return tiled_mutant<ZeroScoresHidden>("zero_scores_hidden"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
