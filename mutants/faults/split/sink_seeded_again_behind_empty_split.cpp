// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows in the split route with a sink and a mask that leaves the first parts without keys.
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
  Part seed(const Unit& u, int64_t split, const std::vector<Part>& before, bool empty) const override {
    const bool again = split > 0 && !empty && before.back().empty;
    return SplitForward::seed(u, again ? 0 : split, before, empty);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_seeded_again_behind_empty_split",
    .summary = "the sink stands in part 0, which publishes it even if it has no keys; the first part with keys looks "
               "one part back, sees an empty one, and seeds its state with the sink again",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x8x1x1024x64 mask=window:64:0 score=sink:head",
    .kernel = [] { return kernel<Fault, FusedBackward>("sink_seeded_again_behind_empty_split"); },
    .twin = right_split,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
