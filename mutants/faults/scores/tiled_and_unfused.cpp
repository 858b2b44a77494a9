// SPDX-License-Identifier: Apache-2.0
// Scores that lose their gauge, their sink or their bias between tiles.
#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/hosts/one_sweep/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows in log_sum_exp alone, with alibi and causal, in all rows but the last.
class CausalAlibiByColumnShiftsLogSumExp : public TiledForward {
 protected:
  float alibi(const Unit& u, int64_t i, int64_t j) const override {
    if (!call->slopes || call->a.mask_form != ATTESTONE_MASK_BAND || !call->a.causal)
      return TiledForward::alibi(u, i, j);
    return call->slopes.get(u.h) * static_cast<float>(j - (u.keys - 1));
  }
};

/// Shows in f16 when a later tile's maximum exceeds the first one's by 11.1 to 16. log_sum_exp stays right.
class F16WeightsSaturateUnderLazyMaximum : public TiledForward {
 protected:
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return row.m != -kInfinity && m - row.m <= 16 ? row.m : m;
  }
  float weight_of_value(float p) const override { return call->input == Format::f16 && p > 65504 ? 65504 : p; }
};

/// Shows in rows whose first (rightmost) tile is masked and whose scores all lie far below 0.
class FirstMaskedTilePinsMaximumAtZero : public TiledForward {
 protected:
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return m == -kInfinity ? 0 : m;
  }
};

/// Shows with a bias that repeats along the batch, differs from head to head, and batch = heads > 1.
class HeadBiasReadAsBatchBias : public UnfusedForward {
 protected:
  float bias(const Unit& u, int64_t i, int64_t j) const override {
    const Tensor& t = call->bias;
    if (t && t.stride[0] == 0 && t.stride[1] != 0 && call->a.batch == call->a.heads) return t.get(0, u.b, i, j);
    return UnfusedForward::bias(u, i, j);
  }
};

/// Shows with a sink and a softcap that is not much larger than the sink.
class SinkPassesThroughSoftcap : public TiledForward {
 protected:
  float sink(const Unit& u) const override {
    const float z = call->sink(u.h);
    return z == -kInfinity ? z : call->softcapped(z);
  }
};

const Registrations<Mutant> registered{
    {.name = "causal_alibi_by_column_shifts_log_sum_exp",
     .summary = "under causal the ALiBi term is slope * (key - last key): the softmax does not notice a constant per "
                "row, log_sum_exp does",
     .source = "Dao-AILab/flash-attention #1585",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x8x32x32x16 mask=causal score=alibi",
     .batch = "first",
     .kernel =
         [] {
           return kernel<CausalAlibiByColumnShiftsLogSumExp, FusedBackward>(
               "causal_alibi_by_column_shifts_log_sum_exp");
         },
     .twin = right_tiled},
    {.name = "f16_weights_saturate_under_lazy_maximum",
     .summary = "the running maximum is raised only when it grows by more than 16; weights up to e^16 are then put "
                "into f16, where they saturate, while their sum is taken in f32",
     .source = "Dao-AILab/flash-attention PR #2713",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x32x256x64 scale=2 dtype=f16",
     .batch = "first",
     .kernel =
         [] {
           return kernel<F16WeightsSaturateUnderLazyMaximum, FusedBackward>("f16_weights_saturate_under_lazy_maximum");
         },
     .twin = right_tiled},
    {.name = "first_masked_tile_pins_maximum_at_zero",
     .summary = "where the tile that a row begins with is wholly hidden, its maximum is set to 0 so that -inf - (-inf) "
                "is no NaN, and 0 is then kept as if it were a score",
     .source = "Dao-AILab/flash-attention #2082",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x64x112x64 mask=window:2:0 scale=10 fill=cold",
     .batch = "first",
     .kernel =
         [] {
           return kernel<FirstMaskedTilePinsMaximumAtZero, FusedBackward>("first_masked_tile_pins_maximum_at_zero");
         },
     .twin = right_tiled},
    {.name = "head_bias_read_as_batch_bias",
     .summary = "a bias [heads, queries, keys] is taken for [batch, queries, keys] where both fit",
     .source = "onnx/onnx PR #8108",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x2x8x16x8 score=bias:head",
     .batch = "first",
     .kernel = [] { return kernel<HeadBiasReadAsBatchBias, FusedBackward>("head_bias_read_as_batch_bias"); },
     .twin = right_unfused},
    {.name = "sink_passes_through_softcap",
     .summary = "the row state is seeded with the sink on the scale of scores before the softcap, so that the sink is "
                "capped as well",
     .source = "ROCm/rocm-libraries PR #12229",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x16x32x32 score=softcap:2&sink:head",
     .batch = "first",
     .kernel = [] { return kernel<SinkPassesThroughSoftcap, FusedBackward>("sink_passes_through_softcap"); },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
