// SPDX-License-Identifier: Apache-2.0
// Decoding with grouped heads and 1024 keys or more has a kernel of its own, in which K and V lack the offset of the
// sequence. ml-explore/mlx pull request 4431 (sdpa_vector_2pass_1_gqa, all existing tests had batch 1). Shows with one
// query, heads > kv_heads, batch > 1 and 1024 keys: later sequences read K and V of the first.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static Index key_slot(const Problem& p, const Span& s) {
    return p.a.queries == 1 && p.group > 1 && p.a.keys >= 1024 ? 0 : s.slot;
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
