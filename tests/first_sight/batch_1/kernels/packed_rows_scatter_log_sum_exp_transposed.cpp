// SPDX-License-Identifier: Apache-2.0
// Decoding packs rows as (query, head of the group); log_sum_exp is written as if they were packed as (head, query).
// vllm-project/vllm-xpu-kernels pull request 479 (softmax_lse (query, head) where (head, query) is expected).
// Shows in log_sum_exp alone, with grouped heads and 2 to 16 queries.
#include "../hosts/fused_backward.hpp"
#include "../hosts/split_forward.hpp"

class Fault : public SplitForward {
 protected:
  void write_log_sum_exp(const Unit& u, int64_t i, const PackedRow& packed, float x) const override {
    if (!decoding()) return SplitForward::write_log_sum_exp(u, i, packed, x);
    const int64_t head = u.kv_head * packed.group + packed.index / u.queries;
    call->log_sum_exp.set(x, u.b, head, packed.index % u.queries);
  }
};

KERNEL(Fault, FusedBackward)
