// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows in the forward pass with ALiBi, one query and heads that share a kv head.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  void place_alibi(const RowCall& call, const Sequence& s, Int kv_head, Int m, Row& row) const override {
    SplitKv::place_alibi(call, s, kv_head, m, row);
    if (call.a.backward || call.a.queries != 1 || call.group == 1) return;
    row.slope = call.slopes.get(kv_head);
    row.position = m + s.keys - call.group;
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_of_swapped_decode_rows",
    .summary = "for one query the heads of a group become the queries of one head, and ALiBi takes slope and "
               "distance for such",
    .source = "Dao-AILab/flash-attention PR #540, Dao-AILab/flash-attention #907",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x16x8 score=alibi",
    .kernel = [] { return row_kernel<Fault>("alibi_of_swapped_decode_rows"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
