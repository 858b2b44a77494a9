// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with grouped heads, a left window and more than one query: keys at the begin of
// windows are skipped.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  template <class P>
  static Range reach(const Problem& p, const Sequence& s, Index r0, Index r1) {
    Range reach = SplitPolicy::reach<P>(p, s, r0, r1);
    reach.begin = std::max(reach.begin, std::min(reach.end, key_reach<P>(p, s, r0, r1).begin));
    return reach;
  }
};

const Registration<Mutant> registered{{
    .name = "window_begin_by_packed_row",
    .summary = "the first key that a block of packed rows needs is computed from the packed row, not from the query "
               "that it stands for",
    .source = "vllm-project/vllm PR #20308",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/1x32x64x16 mask=window:20:0",
    .kernel = [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("window_begin_by_packed_row"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
