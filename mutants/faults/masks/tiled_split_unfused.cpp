// SPDX-License-Identifier: Apache-2.0
// Tiles that are taken for visible, skipped or loaded from elsewhere at the edges of causal masks and windows.
#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/hosts/one_sweep/split_forward.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/hosts/one_sweep/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows in empty rows of a tile that other rows use: the mean of V, and log_sum_exp near -83.
class ExpOfMinusInfinityIsSmallestNormal : public TiledForward {
 protected:
  float weight(float x) const override { return std::exp(x < -87.33654f ? -87.33654f : x); }
  void add_key(Row& row, float x, bool seen, const float* v) const override {
    TiledForward::add_key(row, seen ? x : -kInfinity, true, v);
  }
};

/// Shows with NaN or infinities in K at pairs that a mask hides.
class HiddenKeysMaskedByAddingMinusInfinity : public UnfusedForward {
 protected:
  float masked_score(const Unit& u, int64_t i, int64_t j) const override {
    return score(u, i, j) + (seen(u, i, j) ? 0 : -kInfinity);
  }
};

/// Shows when keys - queries puts the diagonal of a query tile across two key tiles: future keys leak.
class OnlyLastCausalTileIsMasked : public TiledForward {
 protected:
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    const attestone_args& a = call->a;
    if (a.mask_form == ATTESTONE_MASK_BAND && a.causal && a.window_left < 0 && a.window_right < 0) return last;
    return TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

/// Shows with layout=ragged, queries = 1, and a sequence without queries before others.
class RaggedSingleQueriesAssumedPresent : public SplitForward {
 protected:
  int64_t query_row(const Unit& u, int64_t i) const override {
    if (!call->ragged() || call->a.queries != 1) return i;
    const int64_t total = call->query_start(call->a.batch);
    return std::min(u.b, total - 1) - call->query_start(u.b);
  }
};

/// Shows in bf16 and f16 with any other scale, the more the hotter the scores; in log_sum_exp first. Exact while
/// the scale is a power of two, as for dim = 64.
class ScaledQueryRoundedToInputFormat : public TiledForward {
 protected:
  void load_query(const Unit& u, int64_t i, float* to) const override {
    TiledForward::load_query(u, i, to);
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = rounded(to[d], call->input);
  }
};

/// Shows with dim > 128, a left window, and a first visible key behind the first key tile.
class WideHeadWindowLoadsTilesFromZero : public TiledForward {
 protected:
  int64_t tile_source(const Unit&, int64_t k0, const KeyRange& range) const override {
    if (call->a.dim <= 128 || call->a.mask_form != ATTESTONE_MASK_BAND || call->a.window_left < 0) return k0;
    return k0 - range.first / kKeyTile * kKeyTile;
  }
};

/// Shows with window:l:r without causal, l >= keys of the sequence, r < keys.
class WideWindowTurnsMaskingOff : public TiledForward {
 protected:
  bool dropped(const Unit& u) const {
    const attestone_args& a = call->a;
    return a.mask_form == ATTESTONE_MASK_BAND && !a.causal && a.window_left >= u.keys;
  }
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    return dropped(u) ? KeyRange{0, u.keys} : TiledForward::key_range(u, q0, q1);
  }
  bool visible(const Unit& u, int64_t i, int64_t j) const override {
    return dropped(u) ? i < u.queries && j < u.keys : TiledForward::visible(u, i, j);
  }
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    return dropped(u) ? k1 > u.keys : TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

/// Shows where the leftmost visible key of a query tile is the last key of a key tile: that key is lost.
class WindowTilesStartOneKeyLate : public TiledForward {
 protected:
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    KeyRange range = TiledForward::key_range(u, q0, q1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.first = std::max<int64_t>(0, q0 + u.shift + 1 - call->a.window_left);
    return {range.first, std::max(range.first, range.last)};
  }
};

const Registrations<Mutant> registered{
    {.name = "exp_of_minus_infinity_is_smallest_normal",
     .summary = "the vectorized exp clamps its argument at ln(FLT_MIN), so that a hidden score of -inf weighs 1.2e-38 "
                "and not 0",
     .source = "vllm-project/vllm PR #40428, huggingface/funes PR #160",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x80x64x16 mask=causal",
     .batch = "first",
     .kernel =
         [] {
           return kernel<ExpOfMinusInfinityIsSmallestNormal, FusedBackward>("exp_of_minus_infinity_is_smallest_normal");
         },
     .twin = right_tiled},
    {.name = "hidden_keys_masked_by_adding_minus_infinity",
     .summary = "the mask is an additive bias of -inf: NaN + (-inf) is NaN, so a hidden key whose K holds NaN (or "
                "whose score is +inf) takes the whole row with it",
     .source = "deepbeepmeep/Wan2GP PR #1628",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x16x16x16 mask=causal fill=nonfinite",
     .batch = "first",
     .kernel =
         [] {
           return kernel<HiddenKeysMaskedByAddingMinusInfinity, FusedBackward>(
               "hidden_keys_masked_by_adding_minus_infinity");
         },
     .twin = right_unfused},
    {.name = "only_last_causal_tile_is_masked",
     .summary = "only the key tile on the diagonal is masked under causal; the one before it counts as full, which is "
                "so while queries and keys begin at the same tile",
     .source = "Dao-AILab/flash-attention PR #436",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x64x112x32 mask=causal",
     .batch = "first",
     .kernel = [] { return kernel<OnlyLastCausalTileIsMasked, FusedBackward>("only_last_causal_tile_is_masked"); },
     .twin = right_tiled},
    {.name = "ragged_single_queries_assumed_present",
     .summary = "a ragged batch whose longest sequence has one query takes sequence b for row b of the queries, which "
                "holds only if no sequence is without one",
     .source = "Dao-AILab/flash-attention #1537",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=4x2x1x8x8 lengths=8+5+3+8 query_lengths=0+1+0+1 layout=ragged",
     .batch = "first",
     .kernel =
         [] {
           return kernel<RaggedSingleQueriesAssumedPresent, FusedBackward>("ragged_single_queries_assumed_present");
         },
     .twin = right_split},
    {.name = "scaled_query_rounded_to_input_format",
     .summary = "the query is scaled in f32 and rounded back to the input format before the product with K",
     .source = "antirez/h3.c #3",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x4x32x64x128 mask=causal dtype=bf16",
     .batch = "first",
     .kernel =
         [] { return kernel<ScaledQueryRoundedToInputFormat, FusedBackward>("scaled_query_rounded_to_input_format"); },
     .twin = right_tiled},
    {.name = "wide_head_window_loads_tiles_from_zero",
     .summary = "the tile for heads wider than 128 counts the key tiles of a window from 0 and ignores where the "
                "window begins when it loads K and V; the mask still goes by the true keys",
     .source = "sgl-project/sgl-flash-attn PR #50",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x256x256 mask=window:32:0",
     .batch = "first",
     .kernel =
         [] {
           return kernel<WideHeadWindowLoadsTilesFromZero, FusedBackward>("wide_head_window_loads_tiles_from_zero");
         },
     .twin = right_tiled},
    {.name = "wide_window_turns_masking_off",
     .summary = "a window whose left side covers all keys is taken for none: the kernel without a mask runs, and the "
                "right side of the window is forgotten with it",
     .source = "tlc-pack/libflash_attn PR #11, Dao-AILab/flash-attention #895",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x48x48x16 mask=window:60:0",
     .batch = "first",
     .kernel = [] { return kernel<WideWindowTurnsMaskingOff, FusedBackward>("wide_window_turns_masking_off"); },
     .twin = right_tiled},
    {.name = "window_tiles_start_one_key_late",
     .summary = "the first key tile of a windowed query tile is found for p + 1 - left, as if the window counted the "
                "query itself",
     .source = "ml-explore/mlx PR #3552",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x128x128x32 mask=window:33:0",
     .batch = "first",
     .kernel = [] { return kernel<WindowTilesStartOneKeyLate, FusedBackward>("window_tiles_start_one_key_late"); },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
