// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with layout=ragged, queries = 1, and a sequence without queries before others.
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
  int64_t query_row(const Unit& u, int64_t i) const override {
    if (!call->ragged() || call->a.queries != 1) return i;
    const int64_t total = call->query_start(call->a.batch);
    return std::min(u.b, total - 1) - call->query_start(u.b);
  }
};

const Registration<Mutant> registered{{
    .name = "ragged_single_queries_assumed_present",
    .summary = "a ragged batch whose longest sequence has one query takes sequence b for row b of the queries, which "
               "holds only if no sequence is without one",
    .source = "Dao-AILab/flash-attention #1537",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=4x2x1x8x8 lengths=8+5+3+8 query_lengths=0+1+0+1 layout=ragged",
    .kernel = [] { return kernel<Fault, FusedBackward>("ragged_single_queries_assumed_present"); },
    .twin = right_split,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
