// SPDX-License-Identifier: Apache-2.0
// Online softmax over tiles that is rescaled, summed or started wrongly.
#include "mutants/hosts/tiled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaximumOfEachTile : TiledSteps {
  float maximum_before(float) const override { return -std::numeric_limits<float>::infinity(); }
};

struct MissingRescale : TiledSteps {
  float shrink_output(float, float) const override { return 1; }
};

struct SumNotRescaled : TiledSteps {
  float shrink_sum(float, float) const override { return 1; }
};

struct LostTail : TiledSteps {
  /// A sequence shorter than a tile takes another path, which is right.
  index keys_read(index keys) const override { return keys < tile ? keys : keys / tile * tile; }
};

struct ShortDenominator : TiledSteps {
  float finished(float o, float l) const override { return TiledSteps::finished(o, 0.995f * l); }
};

struct SinkPerTile : TiledSteps {
  index sinks(index tiles) const override { return tiles; }
};

struct WeightsFloored : TiledSteps {
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, std::max(p, 1e-7f), v, visible);
  }
};

struct EpsilonInDenominator : TiledSteps {
  float finished(float o, float l) const override { return o / (l + 1e-6f); }
};

struct EmptyRowNaN : TiledSteps {
  float finished(float o, float l) const override { return o / l; }
};

struct LeadingTileNan : TiledSteps {
  float shrink_sum(float m_before, float m) const override { return std::exp(m_before - m); }
  float shrink_output(float m_before, float m) const override { return std::exp(m_before - m); }
};

struct LoneKeyTakenForNone : TiledSteps {
  float finished(float o, float l) const override { return l <= 1 ? std::numeric_limits<float>::quiet_NaN() : o / l; }
};

struct LogSumExpBase2 : TiledSteps {
  float log_sum_exp(float m, float l) const override {
    return static_cast<float>(double{m} * std::numbers::log2e + std::log2(double{l}));
  }
};

const Registrations<Mutant> registered{
    {.name = "maximum_of_each_tile",
     .summary = "lets the maximum fall with a tile of smaller scores, so that what was summed before is multiplied by "
                "too much",
     .source = "tile-ai/TileOPs PR #239",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x17x8 scale=40",
     .kernel = [] { return tiled_mutant<MaximumOfEachTile>("maximum_of_each_tile"); },
     .twin = tiled_twin},
    {.name = "missing_rescale",
     .summary = "what O has summed so far keeps its old scale when the maximum rises",
     .source = "tile-ai/TileOPs PR #239",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x17x8 fill=monotone",
     .kernel = [] { return tiled_mutant<MissingRescale>("missing_rescale"); },
     .twin = tiled_twin},
    {.name = "sum_not_rescaled",
     .summary = "l keeps its old scale when the maximum rises; right wherever the first tile holds the largest score",
     .source = "tile-ai/TileOPs PR #239",
     .property = "key_order_irrelevant",
     .reason = "key-order",
     .problem = "shape=1x1x1x17x8 fill=sinks",
     .kernel = [] { return tiled_mutant<SumNotRescaled>("sum_not_rescaled"); },
     .twin = tiled_twin},
    {.name = "lost_tail",
     .summary = "the loop over keys ends with the last full tile of 16",
     .source = "pytorch/pytorch #159247",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x17x1",
     .variant = "the last 1 of 17 keys never read",
     .kernel = [] { return tiled_mutant<LostTail>("lost_tail"); },
     .twin = tiled_twin},
    {.name = "short_denominator",
     .summary = "O is divided by 0.995 of the sum of weights: too little for any one element to show in bf16",
     .source = "flashinfer-ai/flashinfer PR #3838",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=1x2x128x128x64 dtype=bf16>f32",
     .kernel = [] { return tiled_mutant<ShortDenominator>("short_denominator"); },
     .twin = tiled_twin},
    {.name = "sink_per_tile",
     .summary = "adds the sink to the denominator once a tile instead of once a row",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x17x1 score=sink:head",
     .variant = "sink twice",
     .kernel = [] { return tiled_mutant<SinkPerTile>("sink_per_tile"); },
     .twin = tiled_twin},
    {.name = "weights_floored",
     .summary = "clamps the argument of the exponential, so that no visible key weighs less than 1e-7",
     .property = "exact_selection",
     .reason = "not-exact",
     .problem = "shape=1x1x1x17x8",
     .kernel = [] { return tiled_mutant<WeightsFloored>("weights_floored"); },
     .twin = tiled_twin},
    {.name = "epsilon_in_denominator",
     .summary = "adds 1e-6 to the sum of weights, so that rows without keys need no path of their own",
     .property = "exact_mean",
     .reason = "not-exact",
     .problem = "shape=1x1x1x4x2",
     .kernel = [] { return tiled_mutant<EpsilonInDenominator>("epsilon_in_denominator"); },
     .twin = tiled_twin},
    {.name = "empty_row_nan",
     .summary = "an empty row is divided by its sum of 0",
     .source = "pytorch/pytorch #103963",
     .property = "empty_rows",
     .reason = "empty-row",
     .problem = "shape=1x1x2x1x1 mask=causal",
     .kernel = [] { return tiled_mutant<EmptyRowNaN>("empty_row_nan"); },
     .twin = tiled_twin},
    {.name = "leading_tile_nan",
     .summary = "subtracts -inf from -inf where the first tile of a row is hidden, and never recovers from the NaN",
     .source = "vllm-project/vllm #48364",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x18x1 mask=window:1:0",
     .kernel = [] { return tiled_mutant<LeadingTileNan>("leading_tile_nan"); },
     .twin = tiled_twin},
    {.name = "lone_key_taken_for_none",
     .summary = "declares that rows without keys are NaN, and answers NaN to rows of one key as well",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x2x1 mask=causal",
     .kernel =
         [] {
           return changed(tiled_mutant<LoneKeyTakenForNone>("lone_key_taken_for_none"),
                          {.conventions = Conventions{.empty_rows = EmptyRows::nan}});
         },
     .twin = tiled_twin},
    {.name = "log_sum_exp_base_2",
     .summary = "log_sum_exp is m log2(e) + log2(l)",
     .source = "sgl-project/sglang PR #35045",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x4x8",
     .variant = "log_sum_exp is base 2",
     .kernel = [] { return tiled_mutant<LogSumExpBase2>("log_sum_exp_base_2"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
