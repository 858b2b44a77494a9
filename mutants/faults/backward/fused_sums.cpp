// SPDX-License-Identifier: Apache-2.0
// Backward passes whose sums are wrong: terms that are missing, overwritten, rounded on the way, or scaled
// otherwise.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct QueryGradientZero : FusedSteps {
  float query_factor(float) const override { return 0; }
};

struct QueryGradientNegated : FusedSteps {
  float query_factor(float scale) const override { return -scale; }
};

struct QueryGradientHalved : FusedSteps {
  float query_factor(float scale) const override { return scale / 2; }
};

struct QueryGradientALittleLong : FusedSteps {
  float query_factor(float scale) const override { return 1.01f * scale; }
};

struct QueryGradientNotCleared : FusedSteps {
  bool starts_at_zero() const override { return false; }
};

struct ScaleTwiceInQueryGradient : FusedSteps {
  float query_factor(float scale) const override { return scale * scale; }
};

struct ScaleMissingInKeyGradient : FusedSteps {
  float key_factor(float) const override { return 1; }
};

struct KeyGradientInBf16 : FusedSteps {
  float key_sum(float sum, float term) const override { return rounded_to_bf16(sum + term); }
};

struct LastHeadOfGroupWins : FusedSteps {
  float group_sum(float, float head) const override { return head; }
};

struct TailOfQueriesSkipped : FusedSteps {
  index queries_read(index queries) const override { return queries / tile * tile; }
};

struct BiasGradientNotSummed : FusedSteps {
  float bias_sum(float, float term) const override { return term; }
};

struct SinkGradientInBf16 : FusedSteps {
  float sink_sum(float sum, float term) const override { return rounded_to_bf16(sum + term); }
};

const Registrations<Mutant> registered{
    {.name = "query_gradient_zero",
     .summary = "answers zeros for dQ",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dQ zero",
     .kernel = [] { return fused_mutant<QueryGradientZero>("query_gradient_zero"); },
     .twin = tiled_twin},
    {.name = "query_gradient_negated",
     .summary = "answers -dQ",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dQ negated",
     .kernel = [] { return fused_mutant<QueryGradientNegated>("query_gradient_negated"); },
     .twin = tiled_twin},
    {.name = "query_gradient_halved",
     .summary = "answers dQ / 2",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dQ halved",
     .kernel = [] { return fused_mutant<QueryGradientHalved>("query_gradient_halved"); },
     .twin = tiled_twin},
    {.name = "query_gradient_a_little_long",
     .summary = "dQ is multiplied by 1.01: too little for any one element to show in bf16",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1x2x128x128x64 dtype=bf16>f32 pass=forward+backward",
     .kernel = [] { return fused_mutant<QueryGradientALittleLong>("query_gradient_a_little_long"); },
     .twin = tiled_twin},
    {.name = "query_gradient_not_cleared",
     .summary = "adds dQ to memory that nobody has cleared",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .kernel = [] { return fused_mutant<QueryGradientNotCleared>("query_gradient_not_cleared"); },
     .twin = tiled_twin},
    {.name = "scale_twice_in_query_gradient",
     .summary = "multiplies dQ by the square of the scale",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dQ scaled twice",
     .kernel = [] { return fused_mutant<ScaleTwiceInQueryGradient>("scale_twice_in_query_gradient"); },
     .twin = tiled_twin},
    {.name = "scale_missing_in_key_gradient",
     .summary = "forgets the scale in dK",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dK not scaled",
     .kernel = [] { return fused_mutant<ScaleMissingInKeyGradient>("scale_missing_in_key_gradient"); },
     .twin = tiled_twin},
    {.name = "key_gradient_in_bf16",
     .summary = "rounds the sum of dK to bf16 after every query",
     .source = "Dao-AILab/flash-attention #385",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x64x4x8 fill=uniform pass=forward+backward",
     .kernel = [] { return fused_mutant<KeyGradientInBf16>("key_gradient_in_bf16"); },
     .twin = tiled_twin},
    {.name = "last_head_of_group_wins",
     .summary = "writes dK and dV of each query head over those of the one before",
     .source = "marin-community/levanter PR #449",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2/1x1x2x2 pass=forward+backward",
     .variant = "dK and dV of the last head",
     .kernel = [] { return fused_mutant<LastHeadOfGroupWins>("last_head_of_group_wins"); },
     .twin = tiled_twin},
    {.name = "tail_of_queries_skipped",
     .summary = "leaves the queries behind the last full tile of 16 out of dK and dV",
     .property = "gradient_sums",
     .reason = "gradient-sum",
     .problem = "shape=1x1x17x2x2 fill=uniform pass=forward+backward",
     .variant = "the last queries never read",
     .kernel = [] { return fused_mutant<TailOfQueriesSkipped>("tail_of_queries_skipped"); },
     .twin = tiled_twin},
    {.name = "bias_gradient_not_summed",
     .summary = "writes the gradient of a shared bias instead of adding to it: the last head wins",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x1x2x2 score=bias:pair pass=forward+backward",
     .kernel = [] { return fused_mutant<BiasGradientNotSummed>("bias_gradient_not_summed"); },
     .twin = tiled_twin},
    {.name = "sink_gradient_in_bf16",
     .summary = "rounds the sum of dSink to bf16 after every row",
     .source = "jax-ml/jax PR #40140",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x64x4x8 score=sink:head fill=uniform pass=forward+backward",
     .kernel = [] { return fused_mutant<SinkGradientInBf16>("sink_gradient_in_bf16"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
