// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows with layout=ragged and query_lengths that differ from lengths before the last
// sequence.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PersistentPolicy {
  static Index value_row(const Problem& p, const Sequence& s, Index j) {
    return std::min(s.first_query + j, p.value.extent[2] - 1);  // a real kernel would run past the end
  }
};

const Registration<Mutant> registered{{
    .name = "ragged_values_by_starts_of_queries",
    .summary = "in a ragged batch the rows of V are counted from where the queries of the sequence begin",
    .source = "vllm-project/vllm-omni PR #3525",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x2x8x24x8 lengths=24+13 query_lengths=5+8 layout=ragged",
    .kernel =
        [] { return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("ragged_values_by_starts_of_queries"); },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
