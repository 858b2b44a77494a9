// SPDX-License-Identifier: Apache-2.0
// A fused backward pass that sees other weights or another dS than the forward pass: in its masks, tails, dropout or
// softcap.
#include <map>
#include <tuple>

#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows for causal where queries and keys differ in number.
class BackwardCausalAlignedTopLeft : public FusedBackward {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    if (c.a.causal == 0) return FusedBackward::in_band(c, s, i, j);
    return j <= i && (c.a.window_left < 0 || j >= i + s.shift - c.a.window_left);
  }
};

/// Shows in dK and dV for more than 32 queries that are no multiple of 32.
class TailRowsKeepThePreviousQueryTile : public FusedBackward {
 protected:
  bool tail_rows_are_masked() const override { return false; }
};

/// Shows in dQ where keys are no multiple of 32 and a row's log_sum_exp is below about -88.
class ZeroFilledTailKeysNotMasked : public FusedBackward {
 protected:
  bool tail_keys_are_masked() const override { return false; }
};

/// Shows in dQ, dK, bias and sink where dO has another layout than O; dV is right.
class DeltaWalksDoutWithStridesOfOut : public FusedBackward {
 protected:
  float delta(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const Tensor &out = c.out, &dout = c.dout;
    index_t extent = 1;  // elements of dO's memory: a real kernel would run past its end, this one wraps
    for (int axis = 0; axis < 4; ++axis) extent += std::max<index_t>(0, dout.extent[axis] - 1) * dout.stride[axis];
    const index_t from = out.offset(s.place, h, s.first_query + i);
    float sum = 0;
    for (index_t x = 0; x < c.a.value_dim; ++x)
      sum += out.load(from + x * out.stride[3]) * dout.load((from + x * out.stride[3]) % extent);
    return sum;
  }
};

/// Shows with dropout and causal where tiles of queries are skipped (more than 32 keys).
class DropoutRowsCountFromFirstVisitedTile : public FusedBackward {
 protected:
  index_t dropout_row(index_t i, index_t first_visited) const override { return i - first_visited; }
};

/// Shows in dQ and dK with softcap beside a bias or ALiBi.
class SoftcapDerivativeOfTheTotalLogit : public FusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = FusedBackward::logit(c, s, h, i, j, qk);
    const float cap = softcap(c);
    if (cap > 0) z.slope = 1.0f - (z.value / cap) * (z.value / cap);
    return z;
  }
};

/// Shows in gradients when a process meets a second softcap at the same dims.
class SoftcapOfFirstCompilation : public FusedBackward {
 protected:
  /// By dim, value_dim and causal: the softcap of the first call, which had 50 at the commonest of them.
  mutable std::map<std::tuple<index_t, index_t, int>, float> compiled{{{16, 16, 0}, 50.0f}};
  float softcap(const Call& c) const override {
    if (!(c.a.softcap > 0)) return 0.0f;
    return compiled.try_emplace({c.a.dim, c.a.value_dim, c.a.causal}, float(c.a.softcap)).first->second;
  }
};

const Registrations<Mutant> registered{
    {.name = "backward_causal_aligned_top_left",
     .summary = "the forward pass aligns a causal mask bottom right, the backward pass masks key <= query",
     .source = "xlite-dev/ffpa-attn #300",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16 mask=causal pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, BackwardCausalAlignedTopLeft>("backward_causal_aligned_top_left"); },
     .twin = right_tiled_fused},
    {.name = "tail_rows_keep_the_previous_query_tile",
     .summary = "the last tile of queries is loaded without a mask for its missing rows: they still hold those of the "
                "tile before, which count twice",
     .source = "flagos-ai/FlagGems #3607",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x40x32x16 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, TailRowsKeepThePreviousQueryTile>("tail_rows_keep_the_previous_query_tile");
         },
     .twin = right_tiled_fused},
    {.name = "zero_filled_tail_keys_not_masked",
     .summary = "keys behind the last one are zeros in the tile and not masked in the backward pass: e^(0 - L) may be "
                "infinite, and infinity * 0 is NaN",
     .source = "NVIDIA/cudnn-frontend #676, hao-ai-lab/FastVideo #925",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x16x3x16 scale=40 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, ZeroFilledTailKeysNotMasked>("zero_filled_tail_keys_not_masked"); },
     .twin = right_tiled_fused},
    {.name = "delta_walks_dout_with_strides_of_out",
     .summary = "the row sums of dO.O take dO's elements by O's strides; the products with dO later go by its own",
     .source = "Dao-AILab/flash-attention #355, ROCm/flash-attention #40",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x2x16x24x16 layout=bhsd+dout/bshd pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, DeltaWalksDoutWithStridesOfOut>("delta_walks_dout_with_strides_of_out"); },
     .twin = right_tiled_fused},
    {.name = "dropout_rows_count_from_first_visited_tile",
     .summary = "the dropout counter of the backward pass counts rows from the first tile of queries that a tile of "
                "keys visits",
     .source = "facebookresearch/xformers #755, pytorch/pytorch #102038",
     .property = "dropout_pairs",
     .reason = "dropout-pairs",
     .problem = "shape=1x2x80x80x16 mask=causal dropout=0.2 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, DropoutRowsCountFromFirstVisitedTile>(
               "dropout_rows_count_from_first_visited_tile");
         },
     .twin = right_tiled_fused},
    {.name = "softcap_derivative_of_the_total_logit",
     .summary = "the backward pass regains the capped score from the logit, bias included, and takes 1 - (logit / c)^2 "
                "as derivative",
     .source = "Dao-AILab/flash-attention #1033",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4x24x24x16 score=softcap:3&alibi pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, SoftcapDerivativeOfTheTotalLogit>("softcap_derivative_of_the_total_logit"); },
     .twin = right_tiled_fused},
    {.name = "softcap_of_first_compilation",
     .summary = "the backward kernel is `compiled` once for each dim, value_dim and causal, with the softcap constant "
                "of that first call",
     .source = "Dao-AILab/flash-attention #2402",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x16x16 score=softcap:2 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, SoftcapOfFirstCompilation>("softcap_of_first_compilation"); },
     .twin = right_tiled_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
