// SPDX-License-Identifier: Apache-2.0
// Blocks and prefixes of keys whose masks, plans and answers go by another block, head or call.
#include <array>
#include <map>
#include <mutex>

#include "mutants/hosts/fragments/cascade.hpp"
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows with a left window, more than one query, and at least 16 keys before the first of them.
struct PrefixWindowByFirstRowOfBlock : Cascade {
  using Cascade::Cascade;

  bool sees_prefix(const Sequence& s, Int h, Int i, Int i0, Int j) const override {
    if (!banded() || !bounded_left() || bias) return sees(s, h, i, j);
    return j >= i0 + s.shift - left() && (!bounded_right() || j <= i + s.shift + right());
  }
};

/// Shows under causal where keys - queries is no multiple of 16.
struct SuffixAssumedToBeginWithFirstQuery : Cascade {
  using Cascade::Cascade;

  bool sees_suffix(const Sequence& s, Int h, Int i, Int j) const override {
    if (!banded() || a.causal == 0 || bounded_left() || bias || s.shift < 0) return sees(s, h, i, j);
    return j - prefix_of(s) <= i;
  }
};

/// Shows with a sequence of no keys, and under causal where 16 packed rows lie before the first key.
struct BlocksWithoutStepsNotWritten : Stream {
  using Stream::Stream;

  void store_without_steps(const Block&) const override {}
};

/// Shows with grouped heads and a sequence of no keys that is not the first one.
struct LogSumExpOfEmptyBlocksByKvHead : Stream {
  using Stream::Stream;

  Int lse_at(const Block& block, Int h, Int i) const override {
    if (block.steps > 0 || ragged()) return Stream::lse_at(block, h, i);
    const Int place = block.s.place * a.kv_heads + h;
    return lse.offset(std::min(place / a.heads, a.batch - 1), place % a.heads, i);
  }
};

/// Shows from the second call of a process on, with the same extents and other lengths.
struct PlanOfFirstLengthsKept : Stream {
  using Stream::Stream;

  Sequence planned(Int b) const override {
    static std::mutex lock;
    static std::map<std::array<Int, 6>, Sequence> known;
    if (ragged()) return sequence(b);
    const std::lock_guard<std::mutex> hold(lock);
    const std::array<Int, 6> key{b, a.batch, a.heads, a.queries, a.keys, dim};
    return known.try_emplace(key, sequence(b)).first->second;
  }
};

const Registrations<Mutant> registered{
    {.name = "prefix_window_by_first_row_of_block",
     .summary = "in the cached prefix the left side of a window is that of the first of 16 queries, for all of them",
     .source = "pytorch/executorch PR #21857",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x32x300x16 mask=window:60:0",
     .batch = "fourth",
     .kernel = [] { return kernel<PrefixWindowByFirstRowOfBlock, Stored>("prefix_window_by_first_row_of_block"); },
     .twin = right_cascade_stored},
    {.name = "suffix_assumed_to_begin_with_first_query",
     .summary = "under causal the suffix is masked as if its first key were that of the first query, which lies up to "
                "15 further where the prefix is no whole number of pages",
     .source = "sgl-project/sgl-kernel-xpu #196",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x40x16 mask=causal",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<SuffixAssumedToBeginWithFirstQuery, Expanded>("suffix_assumed_to_begin_with_first_query");
         },
     .twin = right_cascade_expanded},
    {.name = "blocks_without_steps_not_written",
     .summary =
         "a block that no key can reach has no steps, no processor and no answer: its rows keep what lay in the memory",
     .source = "Dao-AILab/flash-attention PR #2470",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x8x24x16 lengths=0+24",
     .batch = "fourth",
     .kernel = [] { return kernel<BlocksWithoutStepsNotWritten, Expanded>("blocks_without_steps_not_written"); },
     .twin = right_stream_expanded},
    {.name = "log_sum_exp_of_empty_blocks_by_kv_head",
     .summary = "the early exit of blocks that no key reaches finds its place in log_sum_exp as if there were as many "
                "heads as kv heads: it overwrites that of other sequences",
     .source = "Dao-AILab/flash-attention PR #2573, Dao-AILab/flash-attention PR #2851",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=3x4/2x8x24x16 lengths=24+0+24",
     .batch = "fourth",
     .kernel = [] { return kernel<LogSumExpOfEmptyBlocksByKvHead, Stored>("log_sum_exp_of_empty_blocks_by_kv_head"); },
     .twin = right_stream_stored},
    {.name = "plan_of_first_lengths_kept",
     .summary = "the plan of a padded batch is kept for later calls of the same extents, whatever their lengths",
     .source = "pytorch/pytorch PR #184122",
     .property = "batch_order_irrelevant",
     .reason = "batch-order",
     .problem = "shape=2x2x16x40x16 lengths=40+20",
     .batch = "fourth",
     .kernel = [] { return kernel<PlanOfFirstLengthsKept, Stored>("plan_of_first_lengths_kept"); },
     .twin = right_stream_stored},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
