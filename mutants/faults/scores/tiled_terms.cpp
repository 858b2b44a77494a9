// SPDX-License-Identifier: Apache-2.0
// Scores whose bias, ALiBi, softcap or sink is wrong.
#include <cmath>
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct AlibiSign : TiledSteps {
  double alibi(double slope, const Sequence& sequence, const Pair& at) const override {
    return -TiledSteps::alibi(slope, sequence, at);
  }
};

struct AlibiTopLeft : TiledSteps {
  double alibi(double slope, const Sequence& sequence, const Pair& at) const override {
    return TiledSteps::alibi(slope, {sequence.keys, sequence.keys}, at);
  }
};

struct BiasOfFirstHead : TiledSteps {
  double bias(const ConstView& bias, const Pair& at) const override {
    return TiledSteps::bias(bias, {at.batch, 0, at.query, at.key});
  }
};

struct BiasBeforeSoftcap : TiledSteps {
  float biased(float score, std::optional<float> cap, bool visible, double bias) const override {
    return masked(static_cast<float>(double{score} + bias), cap, visible);
  }
};

struct SoftcapAfterMask : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(visible ? score : -std::numeric_limits<float>::infinity(), cap);
  }
};

struct SoftcapIgnored : TiledSteps {
  float capped(float score, std::optional<float>) const override { return score; }
};

struct SoftcapOfNothing : TiledSteps {
  float capped(float score, std::optional<float> cap) const override {
    return cap ? score * std::tanh(score / *cap) : score;
  }
};

struct SinkScaled : TiledSteps {
  float sink(float logit, float scale) const override { return logit * scale; }
};

const Registrations<Mutant> registered{
    {.name = "alibi_sign",
     .summary = "adds slope * distance where it must subtract it",
     .source = "meta-pytorch/attention-gym PR #86",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x1 score=alibi",
     .variant = "bias negated",
     .kernel = [] { return tiled_mutant<AlibiSign>("alibi_sign"); },
     .twin = tiled_twin},
    {.name = "alibi_top_left",
     .summary = "counts the distance from the query's own number, not from its position among the keys",
     .source = "Dao-AILab/flash-attention #907",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x1 score=alibi",
     .variant = "bias aligned at the top left",
     .kernel = [] { return tiled_mutant<AlibiTopLeft>("alibi_top_left"); },
     .twin = tiled_twin},
    {.name = "bias_of_first_head",
     .summary = "reads the bias of head 0 for every head, as if the tensor had no axis of heads",
     .source = "pytorch/pytorch #112577",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1 score=bias:full",
     .variant = "bias of the first head",
     .kernel = [] { return tiled_mutant<BiasOfFirstHead>("bias_of_first_head"); },
     .twin = tiled_twin},
    {.name = "bias_before_softcap",
     .summary = "adds the bias before the cap, which then bends it as well",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 score=softcap:0.5&bias:full",
     .variant = "softcap after the bias",
     .kernel = [] { return tiled_mutant<BiasBeforeSoftcap>("bias_before_softcap"); },
     .twin = tiled_twin},
    {.name = "softcap_after_mask",
     .summary = "hidden scores are capped to -c, a finite number, and take part",
     .source = "flashinfer-ai/flashinfer PR #350",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x1 mask=causal score=softcap:1",
     .variant = "softcap after the mask, in the sum",
     .kernel = [] { return tiled_mutant<SoftcapAfterMask>("softcap_after_mask"); },
     .twin = tiled_twin},
    {.name = "softcap_ignored",
     .summary = "takes no cap from the call, only the one that it was built with",
     .source = "sgl-project/sglang #33915",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 score=softcap:1",
     .variant = "softcap ignored",
     .kernel = [] { return tiled_mutant<SoftcapIgnored>("softcap_ignored"); },
     .twin = tiled_twin},
    {.name = "softcap_of_nothing",
     .summary = "caps by s tanh(s / c)",
     .source = "Dao-AILab/flash-attention PR #2402",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 score=softcap:5",
     .variant = "softcap s tanh(s / c)",
     .kernel = [] { return tiled_mutant<SoftcapOfNothing>("softcap_of_nothing"); },
     .twin = tiled_twin},
    {.name = "sink_scaled",
     .summary = "multiplies the sink by the scale of the scores",
     .source = "local-inference-lab/b12x #119",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x1x16 score=sink:head",
     .variant = "sink scaled",
     .kernel = [] { return tiled_mutant<SinkScaled>("sink_scaled"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
