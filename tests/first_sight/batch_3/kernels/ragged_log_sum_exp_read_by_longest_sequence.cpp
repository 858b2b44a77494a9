// SPDX-License-Identifier: Apache-2.0
// In a ragged batch log_sum_exp is read as if each head had as many rows as the longest sequence has queries, not as
// many as all have. pytorch/pytorch pull request 187899 and Dao-AILab/flash-attention pull request 970 (padded and
// packed varlen LSE). Shows in all gradients with layout=ragged, more than one head and more than one sequence.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : TwoPassPolicy {
  static Index lse_place(const Problem& p, const Span& s, Index h, Index i) {
    if (!p.ragged()) return TwoPassPolicy::lse_place(p, s, h, i);
    return h * p.a.queries + s.query_begin + i;
  }
};

LIBRARY(Persistent<PersistentPolicy>, TwoPassBackward<Fault>)
