// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with a sink and more than 128 keys: it weighs 2^sink, not e^sink.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    const float ln2 = 0.693147181f, changed = sink ? *sink * ln2 : 0.0f;
    return SplitPolicy::merge(p, parts, sink && parts.size() > 1 ? &changed : sink, out);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_enters_merge_in_base_two",
    .summary = "the merge works in base 2: log_sum_exp of the splits is converted, the sink is not; rows of one split "
               "take another way and are right",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x200x16 score=sink:head",
    .kernel = [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("sink_enters_merge_in_base_two"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
