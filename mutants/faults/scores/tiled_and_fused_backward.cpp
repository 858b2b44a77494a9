// SPDX-License-Identifier: Apache-2.0
// Scores whose maximum starts wrongly, or whose bias is read or capped wrongly.
#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows with score=bias:batch or bias:key, batch and heads above 1.
template <class Host>
class BatchBiasRepeatedHeadFirst : public Host {
 protected:
  float bias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const override {
    Sequence other = s;
    if (c.has_bias() && c.bias.stride[0] != 0 && c.bias.stride[1] == 0)
      other.number = (s.number * c.a.heads + h) % c.a.batch;
    return Host::bias(c, other, h, i, j);
  }
};

/// Shows for more than 32 keys where later scores exceed the first ones by 88, or where all are that much below.
class GaugeFixedByFirstKeyTile : public TiledForward {
 protected:
  bool maximum_may_rise(index_t j0) const override { return j0 == 0; }
};

/// Shows with a mask where a row's visible scores are near or below -10000.
class HiddenPairsScoreMinusTenThousand : public TiledForward {
 protected:
  float hidden_score(const Call&) const override { return -10000.0f; }
};

/// Shows where all scores of a row are below -5e4.
class RunningMaximumStartsAtAFiniteNumber : public TiledForward {
 protected:
  float first_maximum() const override { return -5e4f; }
};

/// Shows with softcap beside a bias or ALiBi.
template <class Host>
class SoftcapAfterBias : public Host {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    const float total = qk * c.scale() + this->bias(c, s, h, i, j), cap = this->softcap(c);
    if (!(cap > 0)) return {total, 1.0f};
    const float t = std::tanh(total / cap);
    return {cap * t, 1.0f - t * t};
  }
};

const Registrations<Mutant> registered{
    {.name = "batch_bias_repeated_head_first",
     .summary = "a bias [batch, 1, ., keys] is expanded to the flat axis (batch, head) as if that were (head, batch): "
                "flat index mod batch",
     .source = "lucidrains/graph-transformer-pytorch #2",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x4x17x33x16 score=bias:batch",
     .batch = "second",
     .kernel =
         [] {
           return kernel<BatchBiasRepeatedHeadFirst<TiledForward>, BatchBiasRepeatedHeadFirst<FusedBackward>>(
               "batch_bias_repeated_head_first");
         },
     .twin = right_tiled_fused},
    {.name = "gauge_fixed_by_first_key_tile",
     .summary = "the maximum of the first 32 keys stays the gauge of the row: later scores are not rescaled, and "
                "overflow or underflow",
     .source = "facebookexperimental/triton #3408",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x16x100x16 scale=50",
     .batch = "second",
     .kernel = [] { return kernel<GaugeFixedByFirstKeyTile, FusedBackward>("gauge_fixed_by_first_key_tile"); },
     .twin = right_tiled_fused},
    {.name = "hidden_pairs_score_minus_ten_thousand",
     .summary = "hidden pairs get the score -10000 and stay in the softmax; rows that see nothing are answered rightly",
     .source = "EleutherAI/gpt-neox #966, TransformerLensOrg/TransformerLens #318",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x16x8 mask=causal scale=10000",
     .batch = "second",
     .kernel =
         [] {
           return kernel<HiddenPairsScoreMinusTenThousand, FusedBackward>("hidden_pairs_score_minus_ten_thousand");
         },
     .twin = right_tiled_fused},
    {.name = "running_maximum_starts_at_a_finite_number",
     .summary = "the online softmax begins with the maximum -5e4 in place of -infinity; a row that lies below it "
                "underflows, and is answered with 0",
     .source = "flashinfer-ai/flashinfer #4267",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x4x16x2x8 scale=30000",
     .batch = "second",
     .kernel =
         [] {
           return kernel<RunningMaximumStartsAtAFiniteNumber, FusedBackward>(
               "running_maximum_starts_at_a_finite_number");
         },
     .twin = right_tiled_fused},
    {.name = "softcap_after_bias",
     .summary = "the bias is added before the softcap: c tanh((s + bias) / c), in both passes",
     .source = "microsoft/onnxruntime #28370, onnx/onnx #7865",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x4x33x40x16 score=softcap:2&bias:full",
     .batch = "second",
     .kernel =
         [] { return kernel<SoftcapAfterBias<TiledForward>, SoftcapAfterBias<FusedBackward>>("softcap_after_bias"); },
     .twin = right_tiled_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
