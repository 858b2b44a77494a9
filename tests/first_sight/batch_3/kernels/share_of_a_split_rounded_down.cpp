// SPDX-License-Identifier: Apache-2.0
// Tiles of 32 keys are divided among splits with the remainder dropped. tile-ai/tilelang pull request 2010, review
// (cur_seqlen_k // num_split drops the remainder). Shows where the tiles are no multiple of the splits, for more than
// 128 keys: 300 or 600, while 256, 500 and 512 are right. The last keys are missing.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static Reach split(const Span& s, Index number, Index splits) {
    const Index share = std::max<Index>(1, ceil_div(s.keys, kKeys) / splits);
    return {std::min(s.keys, number * share * kKeys), std::min(s.keys, (number + 1) * share * kKeys)};
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
