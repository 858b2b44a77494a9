// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows in log_sum_exp alone, with grouped heads and 2 to 16 queries.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/split_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public SplitForward {
 protected:
  void write_log_sum_exp(const Unit& u, int64_t i, const PackedRow& packed, float x) const override {
    if (!decoding()) return SplitForward::write_log_sum_exp(u, i, packed, x);
    const int64_t head = u.kv_head * packed.group + packed.index / u.queries;
    call->log_sum_exp.set(x, u.b, head, packed.index % u.queries);
  }
};

const Registration<Mutant> registered{{
    .name = "packed_rows_scatter_log_sum_exp_transposed",
    .summary = "decoding packs rows as (query, head of the group); log_sum_exp is written as if they were packed as "
               "(head, query)",
    .source = "vllm-project/vllm-xpu-kernels PR #479",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x8/2x3x64x16",
    .kernel = [] { return kernel<Fault, FusedBackward>("packed_rows_scatter_log_sum_exp_transposed"); },
    .twin = right_split,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
