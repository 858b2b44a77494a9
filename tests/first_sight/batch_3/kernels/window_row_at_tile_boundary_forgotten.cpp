// SPDX-License-Identifier: Apache-2.0
// The queries that a tile of keys meets under a left window end one too early; as whole tiles of 32 queries are
// visited, that matters only where the last of them begins a tile. microsoft/onnxruntime pull request 25927 (a local
// window off by one). Shows where left mod 32 is 1 (with as many queries as keys): dQ of rows 64, 96, ... and dK, dV
// of the last key of each tile.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  template <class P>
  static Reach rows(const Problem& p, const Span& s, Index j0, Index j1) {
    Reach reach = query_reach<P>(p, s, j0, j1);
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.window_left < 0) return reach;
    const Index end = j1 - 1 + p.a.window_left - s.shift;
    reach.end = std::clamp<Index>(ceil_div(std::max<Index>(end, 0), kRows) * kRows, reach.begin, s.queries);
    return reach;
  }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
