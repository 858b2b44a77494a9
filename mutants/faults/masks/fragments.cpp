// SPDX-License-Identifier: Apache-2.0
// Warps whose tiles of keys are numbered, skipped or masked by another row, head or test.
#include "mutants/hosts/fragments/fragments.hpp"

#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows with more than 32768 keys.
struct KeyTileStartInSixteenBits : Fragments {
  using Fragments::Fragments;

  Int first_key(Int tile, int width) const override { return static_cast<std::int16_t>(tile * width); }
};

/// Shows with window:l:r, r above 0, and keys that are no multiple of the tile.
struct WindowTestReplacesLengthTest : Fragments {
  using Fragments::Fragments;

  bool allows(const Sequence& s, Int h, Int i, Int j) const override {
    if (banded() && a.causal == 0 && a.window_right > 0 && !bias) return j >= 0 && sees(s, h, i, j);
    return Fragments::allows(s, h, i, j);
  }
};

/// Shows in f16 and bf16 under causal: three rows of four see keys of the future.
struct CausalBoundPerPackOfFourRows : Fragments {
  using Fragments::Fragments;

  bool in_band(const Sequence& s, Int i, Int j) const override {
    if (q.format == Format::f32 || a.causal == 0 || bounded_left()) return Rules::in_band(s, i, j);
    return j <= (i | 3) + s.shift;
  }
};

/// Shows with one query, grouped heads, and a mask that differs from head to head.
struct MaskOfSingleQueriesByKvHead : Fragments {
  using Fragments::Fragments;

  bool mask_byte(const Sequence& s, Int h, Int i, Int j) const override {
    return Fragments::mask_byte(s, a.queries == 1 ? h / group : h, i, j);
  }
};

/// Shows with sparse masks of bytes and more than eight queries, most of all in the narrow tiles of dim above 128.
struct TileSkippedByItsUpperHalf : Fragments {
  using Fragments::Fragments;

  bool visits(const Sequence& s, Int h, Int i0, Int i1, Int j0, Int j1) const override {
    if (a.mask_form != ATTESTONE_MASK_BYTES) return true;
    for (Int i = i0; i < std::min(i1, i0 + 8); ++i)
      for (Int j = j0; j < std::min(j1, s.keys); ++j)
        if (sees(s, h, i, j)) return true;
    return false;
  }
};

/// Shows with a left window where its edge crosses into the next tile of keys within 16 rows.
struct WindowMaskedInItsLeftmostTileOnly : Fragments {
  using Fragments::Fragments;

  bool masks(const Sequence& s, Int i0, Int i1, Int j0, Int j1, bool leftmost) const override {
    const bool asked = leftmost || a.mask_form == ATTESTONE_MASK_BYTES || bias || j1 > s.keys;
    if (asked) return Fragments::masks(s, i0, i1, j0, j1, leftmost);
    return banded() && bounded_right() && j1 - 1 > i0 + s.shift + right();
  }
};

const Registrations<Mutant> registered{
    {.name = "key_tile_start_in_sixteen_bits",
     .summary =
         "the first key of a tile is a 16-bit number: from key 32768 on it is negative, and zeros are taken for keys",
     .source = "facebookresearch/xformers #719",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x33000x8 mask=window:100:0",
     .batch = "fourth",
     .kernel = [] { return kernel<KeyTileStartInSixteenBits, Stored>("key_tile_start_in_sixteen_bits"); },
     .twin = right_fragments_stored},
    {.name = "window_test_replaces_length_test",
     .summary = "under a window with a right side the test of the window stands in place of the test of the length: "
                "keys behind the last one, zeros in the tile, are visible",
     .source = "tile-ai/tilelang #1139",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x24x40x16 mask=window:30:8",
     .batch = "fourth",
     .kernel = [] { return kernel<WindowTestReplacesLengthTest, Stored>("window_test_replaces_length_test"); },
     .twin = right_fragments_stored},
    {.name = "causal_bound_per_pack_of_four_rows",
     .summary = "with 16-bit inputs the causal bound is that of the last of four rows that a vector holds",
     .source = "pytorch/pytorch #195910",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x32x48x16 mask=causal dtype=bf16",
     .batch = "fourth",
     .kernel = [] { return kernel<CausalBoundPerPackOfFourRows, Expanded>("causal_bound_per_pack_of_four_rows"); },
     .twin = right_fragments_expanded},
    {.name = "mask_of_single_queries_by_kv_head",
     .summary = "with one query the heads of a group stand for rows, and the mask is read at the kv head",
     .source = "HKUSTDial/flash-sparse-attention #107",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x32x16 mask=dense:50",
     .batch = "fourth",
     .kernel = [] { return kernel<MaskOfSingleQueriesByKvHead, Expanded>("mask_of_single_queries_by_kv_head"); },
     .twin = right_fragments_expanded},
    {.name = "tile_skipped_by_its_upper_half",
     .summary = "whether a tile of a mask of bytes is visited is asked of eight rows, half of those that the tile has",
     .source = "mit-han-lab/radial-attention PR #54",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x32x64x136:8 mask=dense:2",
     .batch = "fourth",
     .kernel = [] { return kernel<TileSkippedByItsUpperHalf, Expanded>("tile_skipped_by_its_upper_half"); },
     .twin = right_fragments_expanded},
    {.name = "window_masked_in_its_leftmost_tile_only",
     .summary = "only the leftmost tile of a window is masked at its left side: in the tile behind it rows see keys "
                "left of their window",
     .source = "flashinfer-ai/flashinfer #4972",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x256x256x32 mask=window:100:0",
     .batch = "fourth",
     .kernel =
         [] { return kernel<WindowMaskedInItsLeftmostTileOnly, Expanded>("window_masked_in_its_leftmost_tile_only"); },
     .twin = right_fragments_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
