// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in all gradients with layout=ragged, more than one head and more than one
// sequence.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : TwoPassPolicy {
  static Index lse_place(const Problem& p, const Sequence& s, Index h, Index i) {
    if (!p.ragged()) return TwoPassPolicy::lse_place(p, s, h, i);
    const Index last = p.log_sum_exp.offset(0, p.a.heads - 1, p.log_sum_exp.extent[2] - 1);
    return std::min(h * p.a.queries + s.first_query + i, last);  // a real kernel would run past the end
  }
};

const Registration<Mutant> registered{{
    .name = "ragged_log_sum_exp_read_by_longest_sequence",
    .summary = "in a ragged batch log_sum_exp is read as if each head had as many rows as the longest sequence has "
               "queries, not as many as all have",
    .source = "pytorch/pytorch PR #187899, Dao-AILab/flash-attention PR #970",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x2x16x16x16 lengths=16+9 query_lengths=16+9 layout=ragged pass=forward+backward",
    .kernel =
        [] {
          return kernel<Persistent<PersistentPolicy>, TwoPassBackward<Fault>>(
              "ragged_log_sum_exp_read_by_longest_sequence");
        },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
