// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with more than 4096 keys.
#include <iterator>

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
    const std::vector<Part> lanes(parts.begin(), parts.begin() + std::min<std::ptrdiff_t>(32, std::ssize(parts)));
    return SplitPolicy::merge(p, lanes, sink, out);
  }
};

const Registration<Mutant> registered{{
    .name = "merge_has_thirty_two_lanes",
    .summary = "the merge has a lane for each split, 32 of them, and no loop: later splits are lost",
    .source = "flashinfer-ai/flashinfer PR #4573",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x4300x16",
    .kernel = [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("merge_has_thirty_two_lanes"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
