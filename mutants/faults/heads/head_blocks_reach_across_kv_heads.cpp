// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with one query, several kv heads, and heads / kv_heads above 16 and no multiple of
// it.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
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

const Registration<Mutant> registered{{
    .name = "head_blocks_reach_across_kv_heads",
    .summary = "when decoding with more than 16 heads to a kv head, blocks are 16 query heads each, and the kv head is "
               "the block divided by the blocks of a group, rounded up",
    .source = "vllm-project/vllm PR #40792",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x48/2x1x32x16",
    .kernel =
        [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("head_blocks_reach_across_kv_heads"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
