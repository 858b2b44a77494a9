// SPDX-License-Identifier: Apache-2.0
// A ragged batch whose longest sequence has one query takes sequence b for row b of the queries, which holds only if no
// sequence is without one. Dao-AILab/flash-attention issue 1537 (max_seqlen_q == 1 and a sequence of length zero).
// Shows with layout=ragged, queries = 1, and a sequence without queries before others.
#include "../hosts/fused_backward.hpp"
#include "../hosts/split_forward.hpp"

class Fault : public SplitForward {
 protected:
  int64_t query_row(const Unit& u, int64_t i) const override {
    if (!call->query_starts || call->a.queries != 1) return i;
    const int64_t total = call->query_starts[call->a.batch];
    return std::min(u.b, total - 1) - call->query_starts[u.b];
  }
};

KERNEL(Fault, FusedBackward)
