// SPDX-License-Identifier: Apache-2.0
// From 256 keys on the bias is sliced once for each chunk of queries, with one row: all 32 queries get the bias of the
// first. google-research/tabfm pull request 40 (slice_q_len = 1). Shows with score=bias:full, head, batch or pair, 256
// keys or more, and more than one query; a bias by key is right.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static float bias(const Problem& p, const Span& s, Index h, Index i, Index j) {
    return Rules::bias(p, s, h, p.a.keys >= 256 ? i - i % kRows : i, j);
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
