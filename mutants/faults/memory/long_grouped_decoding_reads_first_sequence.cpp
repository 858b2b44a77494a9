// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with one query, heads > kv_heads, batch > 1 and 1024 keys: later sequences read K and
// V of the first.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static Index key_slot(const Problem& p, const Sequence& s) {
    return p.a.queries == 1 && p.group > 1 && p.a.keys >= 1024 ? 0 : s.place;
  }
};

const Registration<Mutant> registered{{
    .name = "long_grouped_decoding_reads_first_sequence",
    .summary = "decoding with grouped heads and 1024 keys or more has a kernel of its own, in which K and V lack the "
               "offset of the sequence",
    .source = "ml-explore/mlx PR #4431",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x4/2x1x1024x16",
    .kernel =
        [] {
          return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("long_grouped_decoding_reads_first_sequence");
        },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
