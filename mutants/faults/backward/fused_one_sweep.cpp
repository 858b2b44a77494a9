// SPDX-License-Identifier: Apache-2.0
// A backward pass in one sweep over tiles of keys that goes wrong where dO lies otherwise than O, dims differ, or
// features meet.
#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows with a left window and more queries than keys (padded and ragged sequences included): rows are missing.
class BackwardWindowRangeForgetsShift : public FusedBackward {
 protected:
  KeyRange query_range(const Unit& u, int64_t k0, int64_t k1) const override {
    KeyRange range = FusedBackward::query_range(u, k0, k1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.last = std::min(u.queries, k1 + call->a.window_left);
    return range;
  }
};

/// Shows where O or dO lie otherwise: layout=bshd and others. dQ, dK (and dbias, dsink) go wrong, dV does not.
class DeltaAssumesPackedOutputs : public FusedBackward {
 protected:
  static bool repeats(const Tensor& t) {
    for (int axis = 0; axis < 4; ++axis)
      if (t.stride[axis] == 0 && t.extent[axis] > 1) return true;
    return t.ragged();
  }
  float delta_of(const Unit& u, int64_t i) const override {
    if (repeats(dout) || repeats(call->out)) return FusedBackward::delta_of(u, i);
    const int64_t row = (u.b * call->a.heads + u.h) * call->a.queries + i;
    float sum = 0;
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      sum += dout.load(row * call->a.value_dim + d) * call->out.load(row * call->a.value_dim + d);
    return sum;
  }
};

/// Shows in bf16 and f16 with large groups: several ulps of dK and dV.
class GroupGradientsSummedInOutputFormat : public FusedBackward {
 protected:
  void head_done(const Unit&) override {
    for (float& x : dk) x = rounded(x, call->out.format);
    for (float& x : dv) x = rounded(x, call->out.format);
  }
};

/// Shows in all gradients with a sink and value_dim != dim.
class SinkLeftOutOfBackwardWhenDimsDiffer : public FusedBackward {
 protected:
  bool affected() const { return call->sinks && call->a.dim != call->a.value_dim; }
  float normalizer(const Unit& u, int64_t i) const override {
    const float whole = FusedBackward::normalizer(u, i);
    return affected() ? whole + std::log1p(-std::exp(call->sink(u.h) - whole)) : whole;
  }
  float sink_gradient(const Unit& u, float log_sum, float row_delta) const override {
    return affected() ? 0 : FusedBackward::sink_gradient(u, log_sum, row_delta);
  }
};

/// Shows in dQ and dK when softcap meets a bias or alibi.
class SoftcapSlopeRecoveredFromWholeScore : public FusedBackward {
 protected:
  float softcap_slope(float, float s) const override {
    const float t = s / call->softcap;
    return 1 - t * t;
  }
};

/// Shows in dQ alone, with value_dim > dim.
class ValueChannelsBehindDimMissingFromDquery : public FusedBackward {
 protected:
  float dweight_for_query(const Unit& u, int64_t i, int64_t j, float) const override {
    float sum = 0;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d)
      sum += dout.get(u.b, u.h, i, d) * call->value.get(u.b, u.kv_head, j, d);
    return sum;
  }
};

const Registrations<Mutant> registered{
    {.name = "backward_window_range_forgets_shift",
     .summary = "the query tiles that a key tile meets end at key + left, without queries - keys, which is the same "
                "only while both are equal",
     .source = "ROCm/aiter PR #3742",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x128x64x16 mask=window:16:0 pass=forward+backward",
     .batch = "first",
     .kernel =
         [] { return kernel<TiledForward, BackwardWindowRangeForgetsShift>("backward_window_range_forgets_shift"); },
     .twin = right_tiled},
    {.name = "delta_assumes_packed_outputs",
     .summary = "the pass before the backward one reads O and dO as if they were packed [b, h, s, d]",
     .source = "flagos-ai/FlagAttention PR #1",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x3x16x16x8 layout=bshd pass=forward+backward",
     .batch = "first",
     .kernel = [] { return kernel<TiledForward, DeltaAssumesPackedOutputs>("delta_assumes_packed_outputs"); },
     .twin = right_tiled},
    {.name = "group_gradients_summed_in_output_format",
     .summary = "dK and dV of the query heads that share a kv head are added up in the output format, one head after "
                "the other, instead of in f32",
     .source = "xlite-dev/ffpa-attn PR #301",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x32/1x16x24x32 dtype=bf16 pass=forward+backward",
     .batch = "first",
     .kernel =
         [] {
           return kernel<TiledForward, GroupGradientsSummedInOutputFormat>("group_gradients_summed_in_output_format",
                                                                           in_f32);
         },
     .twin = right_tiled_in_f32},
    {.name = "sink_left_out_of_backward_when_dims_differ",
     .summary = "the specialization for value_dim other than dim normalizes weights by the keys alone, without the "
                "sink, and leaves the sink's own gradient 0",
     .source = "NVIDIA/cudnn-frontend PR #421",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16:8 score=sink:head pass=forward+backward",
     .batch = "first",
     .kernel =
         [] {
           return kernel<TiledForward, SinkLeftOutOfBackwardWhenDimsDiffer>(
               "sink_left_out_of_backward_when_dims_differ");
         },
     .twin = right_tiled},
    {.name = "softcap_slope_recovered_from_whole_score",
     .summary = "the derivative of the softcap is found from the score that the weights say (log p + log_sum_exp), "
                "which holds the bias or ALiBi term as well",
     .source = "Dao-AILab/flash-attention PR #1033",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4x24x24x16 score=softcap:5&alibi pass=forward+backward",
     .batch = "first",
     .kernel =
         [] {
           return kernel<TiledForward, SoftcapSlopeRecoveredFromWholeScore>("softcap_slope_recovered_from_whole_score");
         },
     .twin = right_tiled},
    {.name = "value_channels_behind_dim_missing_from_dquery",
     .summary = "the kernel of dQ declares dO and V with dim channels where they have value_dim: what lies behind is "
                "missing from dO.v",
     .source = "XunhaoLai/native-sparse-attention-triton #27",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x8:16 pass=forward+backward",
     .batch = "first",
     .kernel =
         [] {
           return kernel<TiledForward, ValueChannelsBehindDimMissingFromDquery>(
               "value_channels_behind_dim_missing_from_dquery");
         },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
