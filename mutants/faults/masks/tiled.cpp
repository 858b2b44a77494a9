// SPDX-License-Identifier: Apache-2.0
// Masks that a tile takes from one of its rows, aligns elsewhere, or replaces by a large negative number.
#include "mutants/hosts/tiled.hpp"

#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct CausalTopLeft : TiledSteps {
  /// Takes query i for position i, which is right with as many queries as keys.
  TileMask mask(const Mask& mask, const Sequence& sequence) const override {
    return *TileMask::of(mask, {sequence.keys, sequence.keys});
  }
};

struct WindowEndsTopLeft : TiledSteps {
  TileMask mask(const Mask& mask, const Sequence& sequence) const override {
    return *TileMask::of(mask.rule() == "window" ? mask & Mask("causal:top_left") : mask, sequence);
  }
};

struct WindowOffByOne : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override {
    return mask.visible(query, key) || mask.visible(query, key + 1);
  }
};

struct WindowOfFirstRow : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override {
    return mask.visible(query, key) || (query < tile && mask.visible(0, key));
  }
};

struct MaskPerFourRows : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override { return mask.visible(query | 3, key); }
};

struct HiddenScoresMinusThirty : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(score, cap) - (visible ? 0.0f : 30.0f);
  }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

struct HiddenScoresMinus1e20 : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(score, cap) - (visible ? 0.0f : 1e20f);
  }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

struct PaddingKeysWeigh : TiledSteps {
  float padding(index missing_keys, float m) const override { return static_cast<float>(missing_keys) * weight(0, m); }
};

const Registrations<Mutant> registered{
    {.name = "causal_top_left",
     .summary = "query i sees keys 0 to i under causal, also when there are more keys than queries",
     .source = "Dao-AILab/flash-attention #282",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 mask=causal",
     .variant = "causal:top_left",
     .kernel = [] { return tiled_mutant<CausalTopLeft>("causal_top_left"); },
     .twin = tiled_twin},
    {.name = "window_ends_top_left",
     .summary = "aligns the left end of a window with the last key, and its right end with the first",
     .source = "ROCm/flash-attention #158",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x2 mask=window:1:0",
     .kernel = [] { return tiled_mutant<WindowEndsTopLeft>("window_ends_top_left"); },
     .twin = tiled_twin},
    {.name = "window_off_by_one",
     .summary = "a window of l keys to the left shows l + 1",
     .source = "huggingface/transformers #39408",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x8 mask=window:1:0",
     .variant = "window 1 key long on the left",
     .kernel = [] { return tiled_mutant<WindowOffByOne>("window_off_by_one"); },
     .twin = tiled_twin},
    {.name = "window_of_first_row",
     .summary = "lets the first tile of queries see what the window of its first row shows",
     .source = "flashinfer-ai/flashinfer #4972",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x3x4x1 mask=window:1:0",
     .kernel = [] { return tiled_mutant<WindowOfFirstRow>("window_of_first_row"); },
     .twin = tiled_twin},
    {.name = "mask_per_four_rows",
     .summary = "masks four rows at once, by the last of them, so that three of four see keys to come",
     .source = "pytorch/pytorch #195910",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x1 mask=causal",
     .kernel = [] { return tiled_mutant<MaskPerFourRows>("mask_per_four_rows"); },
     .twin = tiled_twin},
    {.name = "hidden_scores_minus_thirty",
     .summary = "subtracts 30 from hidden scores instead of leaving them out: too little weight for any tolerance",
     .property = "exact_mask",
     .reason = "wrong-mask",
     .problem = "shape=1x1x1x2x2 mask=window:0:0",
     .kernel = [] { return tiled_mutant<HiddenScoresMinusThirty>("hidden_scores_minus_thirty"); },
     .twin = tiled_twin},
    {.name = "hidden_scores_minus_1e20",
     .summary = "declares that NaN behind the mask spreads, and subtracts 1e20 from hidden scores, which may be larger",
     .property = "invisible_keys_ignored",
     .reason = "invisible-key",
     .problem = "shape=1x1x4x4x4 mask=causal",
     .kernel =
         [] {
           return changed(tiled_mutant<HiddenScoresMinus1e20>("hidden_scores_minus_1e20"),
                          {.conventions = Conventions{.empty_rows = EmptyRows::mean,
                                                      .hidden_nonfinite = HiddenNonfinite::propagates}});
         },
     .twin = tiled_twin},
    {.name = "padding_keys_weigh",
     .summary = "fills the last tile with keys of zeros that nobody masks, so that the denominator is too large",
     .source = "tenstorrent/tt-metal #6832",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tiled_mutant<PaddingKeysWeigh>("padding_keys_weigh"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
