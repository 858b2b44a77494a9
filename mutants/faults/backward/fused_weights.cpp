// SPDX-License-Identifier: Apache-2.0
// Backward passes that recompute the weights of the forward pass wrongly: other pairs are hidden, dropped or read
// from a wrong log_sum_exp.
#include <cmath>
#include <limits>

#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BackwardAlwaysCausal : FusedSteps {
  TileMask mask(const Mask&, const Sequence& sequence) const override {
    return *TileMask::of(Mask("causal"), sequence);
  }
};

struct HiddenPairsWeighed : FusedSteps {
  bool weighs_hidden_pairs() const override { return true; }
};

struct PaddedQueriesInBackward : FusedSteps {
  index queries_read(index) const override { return std::numeric_limits<index>::max(); }
};

struct LowScoresTakenForHidden : FusedSteps {
  static constexpr float mask = -9000;
  float weight(float s, float L) const override { return s < mask ? 0 : FusedSteps::weight(s, L); }
};

struct EmptyRowNanInBackward : FusedSteps {
  bool weighs_hidden_pairs() const override { return true; }
  float weight(float s, float L) const override { return std::exp(s - L); }
};

struct NanClampedAway : FusedSteps {
  float weight(float s, float L) const override { return std::fmin(FusedSteps::weight(s, L), 1.0f); }
};

struct WeightOfBaseTwo : FusedSteps {
  float weight(float s, float L) const override {
    return s == -std::numeric_limits<float>::infinity() ? 0 : std::exp2(s - L);
  }
};

struct LogSumExpInHalf : FusedSteps {
  float weight(float s, float L) const override { return FusedSteps::weight(s, rounded_to_bf16(L)); }
};

struct DropoutOtherSeed : FusedSteps {
  bool keeps(const Problem& problem, const Pair& at) const override {
    Problem other = problem;
    ++other.seed;
    return FusedSteps::keeps(other, at);
  }
};

struct DropoutScaledByRate : FusedSteps {
  float kept_factor(double rate) const override { return static_cast<float>(rate); }
};

const Registrations<Mutant> registered{
    {.name = "backward_always_causal",
     .summary = "applies the causal mask in the backward pass whatever the problem says",
     .source = "triton-lang/triton #4541",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x2x2x2 pass=forward+backward",
     .variant = "causal backward",
     .kernel = [] { return fused_mutant<BackwardAlwaysCausal>("backward_always_causal"); },
     .twin = tiled_twin},
    {.name = "hidden_pairs_weighed",
     .summary = "multiplies hidden keys by 0 instead of leaving them out, and 0 * NaN is NaN",
     .source = "Xilinx/brevitas PR #1591",
     .property = "gradient_ignores_invisible",
     .reason = "invisible-key",
     .problem = "shape=1x1x2x2x2 mask=causal pass=forward+backward",
     .kernel = [] { return fused_mutant<HiddenPairsWeighed>("hidden_pairs_weighed"); },
     .twin = tiled_twin},
    {.name = "padded_queries_in_backward",
     .summary = "lets the queries behind a sequence's end add to dK and dV",
     .source = "tile-ai/tilelang PR #2461",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x2x2 query_lengths=1 pass=forward+backward",
     .kernel = [] { return fused_mutant<PaddedQueriesInBackward>("padded_queries_in_backward"); },
     .twin = tiled_twin},
    {.name = "low_scores_taken_for_hidden",
     .summary = "takes scores below -9000 for hidden in its backward pass, also where all scores of a row are as low",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1 score=bias:full fill=finite_masks pass=forward+backward",
     .kernel = [] { return fused_mutant<LowScoresTakenForHidden>("low_scores_taken_for_hidden"); },
     .twin = tiled_twin},
    {.name = "empty_row_nan_in_backward",
     .summary = "recomputes the weights of an empty row as exp(-inf + inf)",
     .source = "Xilinx/brevitas PR #1591",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x1x1 mask=causal pass=forward+backward",
     .kernel = [] { return fused_mutant<EmptyRowNanInBackward>("empty_row_nan_in_backward"); },
     .twin = tiled_twin},
    {.name = "nan_clamped_away",
     .summary = "takes the smaller of 1 and the weight with fmin, which answers 1 for NaN",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x24x2 fill=nonfinite pass=forward+backward seed=3",
     .kernel = [] { return fused_mutant<NanClampedAway>("nan_clamped_away"); },
     .twin = tiled_twin},
    {.name = "weight_of_base_two",
     .summary = "recomputes weights as 2^(s - L)",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "weights of base 2 in the backward pass",
     .kernel = [] { return fused_mutant<WeightOfBaseTwo>("weight_of_base_two"); },
     .twin = tiled_twin},
    {.name = "log_sum_exp_in_half",
     .summary = "recomputes weights from a log_sum_exp that was stored in bf16",
     .source = "pytorch/pytorch #119320",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x3x4 pass=forward+backward",
     .kernel = [] { return fused_mutant<LogSumExpInHalf>("log_sum_exp_in_half"); },
     .twin = tiled_twin},
    {.name = "dropout_other_seed",
     .summary = "draws the dropout of the backward pass with another seed",
     .source = "pytorch/pytorch PR #197563",
     .property = "dropout_pairs",
     .reason = "dropout-pairs",
     .problem = "shape=1x1x4x4x4 dropout=0.5 pass=forward+backward",
     .variant = "another seed in the backward pass",
     .kernel = [] { return fused_mutant<DropoutOtherSeed>("dropout_other_seed"); },
     .twin = tiled_twin},
    {.name = "dropout_scaled_by_rate",
     .summary = "multiplies what dropout keeps by the rate instead of 1 / (1 - rate), in the backward pass only",
     .source = "NVIDIA/apex PR #816",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x4x4x4 dropout=0.25 pass=forward+backward",
     .variant = "dropout scaled by the rate in the backward pass",
     .kernel = [] { return fused_mutant<DropoutScaledByRate>("dropout_scaled_by_rate"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
