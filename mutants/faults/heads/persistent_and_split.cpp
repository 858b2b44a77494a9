// SPDX-License-Identifier: Apache-2.0
// Work items and packed blocks that stand for other heads.
#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows with one query, several kv heads, and heads / kv_heads above 16 and no multiple of it.
struct HeadBlocksReachAcrossKvHeads : SplitPolicy {
  static bool wide(const Problem& p, const Sequence& s) { return s.queries == 1 && p.group > kBlock; }
  static Index blocks(const Problem& p, const Sequence& s) {
    return wide(p, s) ? ceil_div(p.a.heads, kBlock) : SplitPolicy::blocks(p, s);
  }
  static Block block(const Problem& p, const Sequence& s, Index number) {
    if (!wide(p, s)) return SplitPolicy::block(p, s, number);
    const Index kv = number / ceil_div(p.group, kBlock), first = kv * p.group;
    return {kv, number * kBlock - first, std::min((number + 1) * kBlock, p.a.heads) - first};
  }
  static Index query_of(const Problem& p, Index r) { return p.a.queries == 1 ? 0 : r / p.group; }
  static Index head_of(const Problem& p, Index kv, Index r) {
    return p.a.queries == 1 ? kv * p.group + r : SplitPolicy::head_of(p, kv, r);
  }
  template <class P>
  static Range reach(const Problem& p, const Sequence& s, Index r0, Index r1) {
    return key_reach<P>(p, s, query_of(p, r0), query_of(p, r1 - 1) + 1);
  }
};

/// Shows where batch * heads is no multiple of 8 and there are more than 64 queries.
struct LastSectionNumberedByFullWidth : PersistentPolicy {
  static Tile uniform_tile(const Problem& p, Index t, Index tiles) {
    const Index pairs = p.a.batch * p.a.heads, section = t / (kSection * tiles), within = t % (kSection * tiles);
    const Index width = std::min(kSection, pairs - section * kSection);
    const Index pair = section * kSection + within % width;
    return {pair / p.a.heads, pair % p.a.heads, tiles - 1 - within / kSection};
  }
};

const Registrations<Mutant> registered{
    {.name = "head_blocks_reach_across_kv_heads",
     .summary = "when decoding with more than 16 heads to a kv head, blocks are 16 query heads each, and the kv head "
                "is the block divided by the blocks of a group, rounded up",
     .source = "vllm-project/vllm PR #40792",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x48/2x1x32x16",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Split<HeadBlocksReachAcrossKvHeads>, FusedBackward<FusedBackwardPolicy>>(
               "head_blocks_reach_across_kv_heads");
         },
     .twin = right_split_fused},
    {.name = "last_section_numbered_by_full_width",
     .summary = "the last section of a grouped launch has fewer (sequence, head) pairs than eight; the tile of queries "
                "is still found by dividing by eight, so that some are answered twice and others never",
     .source = "flashinfer-ai/flashinfer PR #3283",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x3x130x32x16",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Persistent<LastSectionNumberedByFullWidth>, TwoPassBackward<TwoPassPolicy>>(
               "last_section_numbered_by_full_width");
         },
     .twin = right_persistent_two_pass},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
