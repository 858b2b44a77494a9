// SPDX-License-Identifier: Apache-2.0
// The first key that a block of packed rows needs is computed from the packed row, not from the query that it stands
// for. vllm-project/vllm pull request 20308 (the bound of a block divides by num_queries_per_kv). Shows with grouped
// heads, a left window and more than one query: keys at the begin of windows are skipped.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  template <class P>
  static Reach reach(const Problem& p, const Span& s, Index r0, Index r1) {
    Reach reach = SplitPolicy::reach<P>(p, s, r0, r1);
    reach.begin = std::max(reach.begin, std::min(reach.end, key_reach<P>(p, s, r0, r1).begin));
    return reach;
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
