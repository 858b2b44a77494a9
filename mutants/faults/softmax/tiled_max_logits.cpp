// SPDX-License-Identifier: Apache-2.0
// Kernels that are right but for max_logits.
#include <algorithm>
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsUnscaled : TiledSteps {
  float scaled_logit(float product, float) const override { return product; }
};

struct MaxLogitsBeforeSoftcap : TiledSteps {
  float logit(float score, std::optional<float>, bool visible, double bias) const override {
    return biased(score, std::nullopt, visible, bias);
  }
};

struct MaxLogitsWithoutBias : TiledSteps {
  float logit(float score, std::optional<float> cap, bool visible, double bias) const override {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    return biased(score, cap, visible, bias == hidden ? hidden : 0);
  }
};

struct MaxLogitsWithSink : TiledSteps {
  float max_logit(float largest, std::optional<float> sink) const override {
    return sink ? std::max(largest, *sink) : largest;
  }
};

struct MaxLogitsOfHiddenKeys : TiledSteps {
  float logit(float score, std::optional<float> cap, bool, double bias) const override {
    return biased(score, cap, true, bias);
  }
};

struct MaxLogitsOfFirstTile : TiledSteps {
  float largest_logit(float before, float of_tile) const override {
    return before == -std::numeric_limits<float>::infinity() ? of_tile : before;
  }
};

struct MaxLogitsOfLastTile : TiledSteps {
  float largest_logit(float, float of_tile) const override { return of_tile; }
};

struct MaxLogitsStartAtZero : TiledSteps {
  float max_logit(float largest, std::optional<float>) const override { return std::max(largest, 0.0f); }
};

const Registrations<Mutant> registered{
    {.name = "max_logits_unscaled",
     .summary = "the largest score is taken before the scale",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x4x4x4 wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsUnscaled>("max_logits_unscaled"); },
     .twin = tiled_twin},
    {.name = "max_logits_before_softcap",
     .summary = "the largest score is taken before the softcap",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x4x4x1 score=softcap:1 wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsBeforeSoftcap>("max_logits_before_softcap"); },
     .twin = tiled_twin},
    {.name = "max_logits_without_bias",
     .summary = "the largest score is taken before the bias is added",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x4x4x1 score=bias:full wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsWithoutBias>("max_logits_without_bias"); },
     .twin = tiled_twin},
    {.name = "max_logits_with_sink",
     .summary = "the largest score is that of keys and sink",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x4x1x1 score=sink:head wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsWithSink>("max_logits_with_sink"); },
     .twin = tiled_twin},
    {.name = "max_logits_of_hidden_keys",
     .summary = "the largest score is taken before the mask",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x8x8x4 mask=causal wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsOfHiddenKeys>("max_logits_of_hidden_keys"); },
     .twin = tiled_twin},
    {.name = "max_logits_of_first_tile",
     .summary = "the largest score of the first tile with a key is not raised by later tiles",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x8x32x4 wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsOfFirstTile>("max_logits_of_first_tile"); },
     .twin = tiled_twin},
    {.name = "max_logits_of_last_tile",
     .summary = "the largest score of each tile takes the place of the one before",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x4x17x1 wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsOfLastTile>("max_logits_of_last_tile"); },
     .twin = tiled_twin},
    {.name = "max_logits_start_at_zero",
     .summary = "max_logits is never below 0",
     .property = "value_bound",
     .reason = "wrong-max-logits",
     .problem = "shape=1x1x8x2x4 wants=max_logits",
     .kernel = [] { return tiled_mutant<MaxLogitsStartAtZero>("max_logits_start_at_zero"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
