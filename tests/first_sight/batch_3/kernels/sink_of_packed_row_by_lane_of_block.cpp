// SPDX-License-Identifier: Apache-2.0
// The sink of a packed row is chosen by its lane within the block of 16 rows, not by its number. sgl-project/sgl-
// kernel-xpu pull request 254 ("we cannot index the sink by lane"). Shows with a sink, heads / kv_heads no divisor of
// 16, and more than 16 packed rows: queries * heads / kv_heads.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static float sink_of_row(const Problem& p, Index kv, Index r) {
    return Rules::sink(p, kv * p.group + r % kBlock % p.group);
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
