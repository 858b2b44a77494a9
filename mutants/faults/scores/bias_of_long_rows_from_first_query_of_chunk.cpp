// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with score=bias:full, head, batch or pair, 256 keys or more, and more than one
// query; a bias by key is right.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float bias(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    return Rules::bias(p, s, h, p.a.keys >= 256 ? i - i % kRows : i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "bias_of_long_rows_from_first_query_of_chunk",
    .summary = "from 256 keys on the bias is sliced once for each chunk of queries, with one row: all 32 queries get "
               "the bias of the first",
    .source = "google-research/tabfm PR #40",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x256x16 score=bias:head",
    .kernel =
        [] {
          return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(
              "bias_of_long_rows_from_first_query_of_chunk");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
