// SPDX-License-Identifier: Apache-2.0
// A fused backward pass whose sums of gradients go wrong: in the format, the pitch or the rows of the workspace.
#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows in dQ for bf16 and f16 with deterministic=0 and many tiles of 32 keys.
class DqAddedUpInOutputFormat : public FusedBackward {
 protected:
  void add_dq(const Call& c, float& sum, float x) const override {
    sum = c.a.deterministic == 0 ? rounded(sum + x, c.dquery.format) : sum + x;
  }
};

/// Shows in dQ for dims above 64 that the two roundings tell apart.
class DqConversionHasAnotherPitch : public FusedBackward {
 protected:
  index_t dq_pitch(const Call& c) const override { return round_up(c.a.dim, c.a.dim > 64 ? 16 : 32); }
  index_t dq_pitch_of_conversion(const Call& c) const override { return round_up(c.a.dim, 32); }
};

/// Shows in dbias for bf16 and f16 where the bias repeats (pair, head, batch, key) and many terms meet.
class DbiasAddedUpInOutputFormat : public FusedBackward {
 protected:
  void add_dbias(const Call& c, float& sum, float x, bool) override { sum = rounded(sum + x, c.dbias.format); }
};

/// Shows in dK and dV of grouped heads from the second backward pass of a process on.
class GroupAccumulatorsClearedOnlyWhenGrown : public FusedBackward {
 protected:
  mutable std::vector<float> room;
  float* clear_group(const Call&, float*, index_t floats) const override {
    if (index_t(room.size()) < floats) room.assign(size_t(floats), 0.0f);
    return room.data();
  }
};

/// Shows in dK and dV for ragged and grouped heads, from the second sequence on, unless it begins at a multiple of
/// 32.
class RaggedGroupRowsNotRoundedToTiles : public FusedBackward {
 protected:
  index_t group_row_of_conversion(const Call& c, const Sequence& s) const override {
    return c.ragged() ? s.first_key + s.number * kKeys : group_row(c, s);
  }
};

/// Shows in dV for value_dim > 128 in layouts like bshd, packed_qkv and strided.
class DvalueRowsAreDenseAboveDim128 : public FusedBackward {
 protected:
  void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const override {
    Tensor dense = c.dvalue;
    if (c.a.value_dim > 128 && dense.stride[3] == 1)
      dense.stride[2] = std::min<int64_t>(dense.stride[2], c.a.value_dim);
    store_row(x, dense, b, h, r, c.a.value_dim);
  }
};

/// Shows for batches above 65535.
class BackwardGridEndsAt65535Sequences : public FusedBackward {
 protected:
  index_t launched_sequences(const Call& c) const override { return std::min<index_t>(c.a.batch, 65535); }
};

const Registrations<Mutant> registered{
    {.name = "dq_added_up_in_output_format",
     .summary = "without determinism each tile of keys adds its dQ to a 16-bit image, in place of the f32 workspace",
     .source = "AMD-AGI/Primus-Turbo #480, ROCm/composable_kernel #1397",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x2048x64:8 dtype=bf16 pass=forward+backward deterministic=0",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, DqAddedUpInOutputFormat>("dq_added_up_in_output_format"); },
     .twin = right_tiled_fused},
    {.name = "dq_conversion_has_another_pitch",
     .summary = "above dim 64 the kernel adds dQ up in rows of dim rounded to 16, and the conversion reads rows of dim "
                "rounded to 32",
     .source = "Dao-AILab/flash-attention #2896",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x16x72 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, DqConversionHasAnotherPitch>("dq_conversion_has_another_pitch"); },
     .twin = right_tiled_fused},
    {.name = "dbias_added_up_in_output_format",
     .summary = "the gradient of the bias is added up in the 16-bit tensor itself",
     .source = "HKUSTDial/flash-sparse-attention #193",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x8x64x512x8:4 score=bias:key dtype=bf16 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, DbiasAddedUpInOutputFormat>("dbias_added_up_in_output_format", in_f32); },
     .twin = right_tiled_fused_in_f32},
    {.name = "group_accumulators_cleared_only_when_grown",
     .summary = "the room where query heads of a group add up dK and dV is kept between calls, and cleared only when "
                "it has to grow",
     .source = "NVIDIA/TransformerEngine #2448, NVIDIA/cudnn-frontend #333",
     .property = "gradient_repeats",
     .reason = "not-repeatable",
     .problem = "shape=1x4/2x16x16x16 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, GroupAccumulatorsClearedOnlyWhenGrown>(
               "group_accumulators_cleared_only_when_grown");
         },
     .twin = right_tiled_fused},
    {.name = "ragged_group_rows_not_rounded_to_tiles",
     .summary = "in a ragged batch the sums of a group lie at rows rounded down to whole tiles; the conversion reads "
                "them at the rows before rounding",
     .source = "SandAI-org/MagiAttention #329, Dao-AILab/flash-attention #2337",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x4/2x24x40x16 lengths=37+20 layout=ragged pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, RaggedGroupRowsNotRoundedToTiles>("ragged_group_rows_not_rounded_to_tiles");
         },
     .twin = right_tiled_fused},
    {.name = "dvalue_rows_are_dense_above_dim_128",
     .summary = "above 128 channels dV is stored with rows of value_dim elements, wherever the rows of dV really lie",
     .source = "Dao-AILab/flash-attention #2541",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x12x20x136 layout=bshd pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, DvalueRowsAreDenseAboveDim128>("dvalue_rows_are_dense_above_dim_128"); },
     .twin = right_tiled_fused},
    {.name = "backward_grid_ends_at_65535_sequences",
     .summary = "the grid of the backward kernel has the batch in its z axis: sequences from 65535 on are not "
                "computed, and get no gradients",
     .source = "SandAI-org/MagiAttention #40, pytorch/pytorch #142228",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=65537x1x1x2x4 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, BackwardGridEndsAt65535Sequences>("backward_grid_ends_at_65535_sequences"); },
     .twin = right_tiled_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
