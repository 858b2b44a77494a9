// SPDX-License-Identifier: Apache-2.0
// Backward passes in two and three kernels that go wrong between them: in strides, masks, tails and sums over a
// group.
#include <optional>

#include "mutants/hosts/fragments/cascade.hpp"
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows in all gradients with window:l:0 and more keys than l.
struct BackwardOfCausalWindowsIsPlainCausal : Stored {
  using Stored::Stored;

  bool trailing() const { return banded() && bounded_left() && bounded_right() && right() == 0; }
  bool in_band(const Sequence& s, Int i, Int j) const override {
    return trailing() ? j <= i + s.shift : Stored::in_band(s, i, j);
  }
  Range keys_of_block(const Sequence& s, Int i0, Int i1) const override {
    return trailing() ? Range{0, keys_of(s, i0, i1).end} : Stored::keys_of_block(s, i0, i1);
  }
};

/// Shows in all gradients where dim is no multiple of 16.
struct BackwardScaleOfPaddedDim : Stored {
  using Stored::Stored;

  float scale() const override {
    const auto padded = static_cast<float>(tiles_of(dim, 16) * 16);
    return Stored::scale() * std::sqrt(static_cast<float>(dim) / padded);
  }
};

/// Shows in all gradients with dropout and value_dim above 64.
struct DropoutOfTransposedTilesSwapsItsCounter : Expanded {
  using Expanded::Expanded;

  bool kept(const Sequence& s, Int h, Int i, Int j) const override {
    return value_dim > 64 ? Expanded::kept(s, h, j, i) : Expanded::kept(s, h, i, j);
  }
};

/// Shows in dV where it lies otherwise than dK.
struct DvalueByStridesOfDkey : Stored {
  using Stored::Stored;

  Int dv_at(const Sequence& s, Int kv, Int j) const override {
    return dim == value_dim ? dk_at(s, kv, j) : Stored::dv_at(s, kv, j);
  }
};

/// Shows in dV alone where dO lies otherwise than O.
struct DvaluePassReadsDoutByStridesOfOut : Stored {
  using Stored::Stored;

  Int dout_at(const Sequence& s, Int h, Int i) const override { return out.offset(s.place, h, s.first_query + i); }
};

/// Shows in dK and dV with grouped heads and more than one kv head.
struct GroupSumsGatherEveryKvHeadsThHead : Expanded {
  using Expanded::Expanded;

  Int member(Int kv, Int n) const override { return kv + n * a.kv_heads; }
};

/// Shows in all gradients with window:l:r and r above 0 where queries lie in a tile of 32 before.
struct QueriesLeftOfWindowSkipped : Expanded {
  using Expanded::Expanded;

  Range rows_of(const Sequence& s, Int j0, Int j1) const override {
    Range r = Expanded::rows_of(s, j0, j1);
    if (banded() && a.causal == 0 && a.window_right > 0) r.begin = std::clamp<Int>(j0 - s.shift, r.begin, s.queries);
    return r;
  }
};

/// Shows in all gradients with more than one thread and more than one head.
struct SecondPassDoesNotWaitForDelta : Expanded {
  using Expanded::Expanded;

  void preprocess(const Sequence& s) override {
    preprocess_heads(s, 0, 1);
    if (a.threads <= 1) return preprocess_heads(s, 1, a.heads);
    behind_ = s;
  }
  /// Does last what a thread does that nobody waits for: without a race, so that each call has the same answer.
  void finished() override {
    if (behind_) preprocess_heads(*behind_, 1, a.heads);
    behind_.reset();
  }
  std::optional<Sequence> behind_;
};

/// Shows in dK and dV where queries are no multiple of 32 and the last log_sum_exp lies below -88.
struct TailRowsTakeLastLogSumExp : Expanded {
  using Expanded::Expanded;

  float lse_of_tail(float last) const override { return last; }
  bool takes_tail() const override { return true; }
};

const Registrations<Mutant> registered{
    {.name = "backward_of_causal_windows_is_plain_causal",
     .summary = "the backward pass of a window that ends at the query itself applies causal alone",
     .source = "meta-pytorch/MSLK PR #263",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x48x48x16 mask=window:10:0 pass=forward+backward",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<Fragments, BackwardOfCausalWindowsIsPlainCausal>("backward_of_causal_windows_is_plain_causal");
         },
     .twin = right_fragments_stored},
    {.name = "backward_scale_of_padded_dim",
     .summary = "the backward pass scales scores by 1/sqrt(dim) of a dim that is rounded up to a multiple of 16",
     .source = "tile-ai/tilelang-ascend PR #1670",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x20 pass=forward+backward",
     .batch = "fourth",
     .kernel = [] { return kernel<Cascade, BackwardScaleOfPaddedDim>("backward_scale_of_padded_dim"); },
     .twin = right_cascade_stored},
    {.name = "dropout_of_transposed_tiles_swaps_its_counter",
     .summary = "for value_dim above 64 the backward pass multiplies transposed tiles, and draws dropout for (key, "
                "query) in place of (query, key)",
     .source = "Dao-AILab/flash-attention PR #2439",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x12x8:72 dropout=0.2 pass=forward+backward",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<Stream, DropoutOfTransposedTilesSwapsItsCounter>(
               "dropout_of_transposed_tiles_swaps_its_counter");
         },
     .twin = right_stream_expanded},
    {.name = "dvalue_by_strides_of_dkey",
     .summary = "where dim and value_dim agree, dV is stored by the strides of dK",
     .source = "ROCm/xformers PR #36",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x16x16 layout=bhsd+dvalue/bshd pass=forward+backward",
     .batch = "fourth",
     .kernel = [] { return kernel<Fragments, DvalueByStridesOfDkey>("dvalue_by_strides_of_dkey"); },
     .twin = right_fragments_stored},
    {.name = "dvalue_pass_reads_dout_by_strides_of_out",
     .summary =
         "the pass that makes dV finds the rows of dO by the strides of O; the pass before it goes by those of dO",
     .source = "ROCm/aotriton #236",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x16x16 layout=bhsd+dout/bshd pass=forward+backward",
     .batch = "fourth",
     .kernel =
         [] { return kernel<Stream, DvaluePassReadsDoutByStridesOfOut>("dvalue_pass_reads_dout_by_strides_of_out"); },
     .twin = right_stream_stored},
    {.name = "group_sums_gather_every_kv_heads_th_head",
     .summary = "dK and dV of a kv head are summed over the query heads kv, kv + kv_heads, ..., as if heads were tiled "
                "and not repeated",
     .source = "ekzhang/jax-js PR #180, EricLBuehler/candle-vllm PR #52",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4/2x16x24x16 pass=forward+backward",
     .batch = "fourth",
     .kernel =
         [] { return kernel<Cascade, GroupSumsGatherEveryKvHeadsThHead>("group_sums_gather_every_kv_heads_th_head"); },
     .twin = right_cascade_expanded},
    {.name = "queries_left_of_window_skipped",
     .summary = "the queries that a tile of keys meets begin at the position of its first key, whatever lies to the "
                "right in a window",
     .source = "flashinfer-ai/flashinfer #4893",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x96x96x16 mask=window:8:40 pass=forward+backward",
     .batch = "fourth",
     .kernel = [] { return kernel<Stream, QueriesLeftOfWindowSkipped>("queries_left_of_window_skipped"); },
     .twin = right_stream_expanded},
    {.name = "second_pass_does_not_wait_for_delta",
     .summary = "with several threads the pass over tiles of keys begins before the pass that makes delta has ended",
     .source = "ggml-org/llama.cpp PR #13438",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4x64x64x16 pass=forward+backward",
     .batch = "fourth",
     .kernel = [] { return kernel<Fragments, SecondPassDoesNotWaitForDelta>("second_pass_does_not_wait_for_delta"); },
     .twin = right_fragments_expanded},
    {.name = "tail_rows_take_last_log_sum_exp",
     .summary = "rows behind the last query are zeros, and take its log_sum_exp: e^(0 - L) may be infinite, and "
                "infinity * 0 is NaN",
     .source = "NVIDIA/cudnn-frontend #1072",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x20x24x16 fill=cold pass=forward+backward",
     .batch = "fourth",
     .kernel = [] { return kernel<Fragments, TailRowsTakeLastLogSumExp>("tail_rows_take_last_log_sum_exp"); },
     .twin = right_fragments_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
