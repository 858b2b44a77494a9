// SPDX-License-Identifier: Apache-2.0
// Tiles, sequences and windows that are found by what holds for most masks and lengths, not for all.
#include <array>
#include <map>
#include <mutex>

#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows from the second call of a process on, with another mask of bytes of the same extents, or another sequence
/// of the batch.
struct KeyTilesOfFirstMaskKept : PersistentPolicy {
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Sequence& s, Index h, Index i0, Index i1) {
    static std::mutex lock;
    static std::map<std::array<Index, 4>, std::vector<Word>> known;
    const std::lock_guard<std::mutex> hold(lock);
    std::vector<Word>& words = known[{s.queries, s.keys, h, i0}];
    if (words.empty()) words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    return words;
  }
};

/// Shows in padded batches (lengths) where the rows behind a sequence hold NaN or infinity.
struct PaddingValuesWeighNothingButAreRead : PipelinedPolicy {
  static Index value_keys(const Problem&, const Sequence& s, Index j0) { return std::min(kKeys, s.key_rows - j0); }
};

/// Shows with layout=ragged and query_lengths that differ from lengths before the last sequence.
struct RaggedValuesByStartsOfQueries : PersistentPolicy {
  static Index value_row(const Problem& p, const Sequence& s, Index j) {
    return std::min(s.first_query + j, p.value.extent[2] - 1);  // a real kernel would run past the end
  }
};

/// Shows with masks of bytes (document, dense, prefix, lengths with a mask, ...) and more than 1536 keys.
struct SetOfKeyTilesHasThirtyTwoBits : PersistentPolicy {
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Sequence& s, Index h, Index i0, Index i1) {
    std::vector<Word> words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    for (Word& word : words) word &= 0xffffffffu;
    return words;
  }
};

/// Shows with a sequence of no queries before another one: its last tile of 64 rows of head 0 is never written.
struct TileBehindEmptySequenceGoesToIt : PersistentPolicy {
  static Index sequence_of(const std::vector<Index>& starts, Index t) {
    const auto found = std::lower_bound(starts.begin(), starts.end() - 1, t);
    const Index b = found - starts.begin();
    return found == starts.end() - 1 || *found > t ? b - 1 : b;
  }
};

/// Shows with masks of bytes that have holes inside of a tile of 32 queries and 64 keys: dilated, dense, needle,
/// indices.
struct TileIsFullIfItsCornersAre : PipelinedPolicy {
  template <class P>
  static bool is_full(const Problem& p, const Sequence& s, Index h, Index i0, Index i1, Index j0, Index j1) {
    if (p.a.mask_form != ATTESTONE_MASK_BYTES || p.bias) return PipelinedPolicy::is_full<P>(p, s, h, i0, i1, j0, j1);
    return mask_byte(p, s, h, i0, j0) && mask_byte(p, s, h, i0, j1 - 1) && mask_byte(p, s, h, i1 - 1, j0) &&
           mask_byte(p, s, h, i1 - 1, j1 - 1);
  }
};

/// Shows with grouped heads, a left window and more than one query: keys at the begin of windows are skipped.
struct WindowBeginByPackedRow : SplitPolicy {
  template <class P>
  static Range reach(const Problem& p, const Sequence& s, Index r0, Index r1) {
    Range reach = SplitPolicy::reach<P>(p, s, r0, r1);
    reach.begin = std::max(reach.begin, std::min(reach.end, key_reach<P>(p, s, r0, r1).begin));
    return reach;
  }
};

/// Shows with window:l:r, 2 to 8 queries and keys behind p + r; causal beside the window is right.
struct WindowRightBoundDroppedForFewQueries : SplitPolicy {
  static Index right(const Problem& p) {
    return p.a.queries <= 8 && p.a.causal == 0 && p.a.window_left >= 0 ? reading::Band::unbounded : Rules::right(p);
  }
};

/// The pipelined host with a fault.
template <class Fault>
SharedKernel pipelined(const char* name) {
  return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(name);
}

/// The persistent host with a fault.
template <class Fault>
SharedKernel persistent(const char* name) {
  return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>(name);
}

/// The split host with a fault.
template <class Fault>
SharedKernel split(const char* name) {
  return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>(name);
}

const Registrations<Mutant> registered{
    {.name = "key_tiles_of_first_mask_kept",
     .summary = "the set of key tiles of a mask is kept for the next call with the same queries, keys and head",
     .source = "XPU-Forces/mojo_opset PR #390",
     .property = "splits_merge",
     .reason = "split",
     .problem = "shape=2x2x16x200x8 mask=document:5",
     .batch = "third",
     .kernel = [] { return persistent<KeyTilesOfFirstMaskKept>("key_tiles_of_first_mask_kept"); },
     .twin = right_persistent_two_pass},
    {.name = "padding_values_weigh_nothing_but_are_read",
     .summary = "V is loaded by whole tiles: rows behind the sequence's keys have weight 0, and 0 * NaN is NaN",
     .source = "flashinfer-ai/flashinfer PR #942, vllm-project/vllm PR #53856",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x16x40x16 lengths=40+20 fill=nonfinite",
     .batch = "third",
     .kernel =
         [] { return pipelined<PaddingValuesWeighNothingButAreRead>("padding_values_weigh_nothing_but_are_read"); },
     .twin = right_pipelined_fused},
    {.name = "ragged_values_by_starts_of_queries",
     .summary = "in a ragged batch the rows of V are counted from where the queries of the sequence begin",
     .source = "vllm-project/vllm-omni PR #3525",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x2x8x24x8 lengths=24+13 query_lengths=5+8 layout=ragged",
     .batch = "third",
     .kernel = [] { return persistent<RaggedValuesByStartsOfQueries>("ragged_values_by_starts_of_queries"); },
     .twin = right_persistent_two_pass},
    {.name = "set_of_key_tiles_has_thirty_two_bits",
     .summary = "the set of key tiles that a tile of queries sees is made with 32-bit shifts: of each 64 tiles the "
                "upper 32 are never visited",
     .source = "HKUSTDial/flash-sparse-attention PR #266",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x1700x8 mask=document:2",
     .batch = "third",
     .kernel = [] { return persistent<SetOfKeyTilesHasThirtyTwoBits>("set_of_key_tiles_has_thirty_two_bits"); },
     .twin = right_persistent_two_pass},
    {.name = "tile_behind_empty_sequence_goes_to_it",
     .summary = "the sequence of a work item is found by the first start that is not below it: where an empty sequence "
                "begins at the same place, the item is given to that one, and has no rows",
     .source = "Dao-AILab/flash-attention #1713",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=3x2x8x8x8 query_lengths=8+0+8",
     .batch = "third",
     .kernel = [] { return persistent<TileBehindEmptySequenceGoesToIt>("tile_behind_empty_sequence_goes_to_it"); },
     .twin = right_persistent_two_pass},
    {.name = "tile_is_full_if_its_corners_are",
     .summary = "a tile of the mask counts as full when its four corners are visible, and is not masked any more; true "
                "of bands, not of what only bytes can say",
     .source = "pytorch/pytorch #182593",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x64x128x16 mask=dense:90",
     .batch = "third",
     .kernel = [] { return pipelined<TileIsFullIfItsCornersAre>("tile_is_full_if_its_corners_are"); },
     .twin = right_pipelined_fused},
    {.name = "window_begin_by_packed_row",
     .summary = "the first key that a block of packed rows needs is computed from the packed row, not from the query "
                "that it stands for",
     .source = "vllm-project/vllm PR #20308",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/1x32x64x16 mask=window:20:0",
     .batch = "third",
     .kernel = [] { return split<WindowBeginByPackedRow>("window_begin_by_packed_row"); },
     .twin = right_split_fused},
    {.name = "window_right_bound_dropped_for_few_queries",
     .summary =
         "up to eight queries count as decoding, where nothing lies to the right: a window keeps its left bound only",
     .source = "flashinfer-ai/flashinfer PR #4137",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x32x16 mask=window:9:1",
     .batch = "third",
     .kernel = [] { return split<WindowRightBoundDroppedForFewQueries>("window_right_bound_dropped_for_few_queries"); },
     .twin = right_split_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
