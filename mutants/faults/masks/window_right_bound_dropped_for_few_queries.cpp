// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with window:l:r, 2 to 8 queries and keys behind p + r; causal beside the window is
// right.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static Index right(const Problem& p) {
    return p.a.queries <= 8 && p.a.causal == 0 && p.a.window_left >= 0 ? reading::Band::unbounded : Rules::right(p);
  }
};

const Registration<Mutant> registered{{
    .name = "window_right_bound_dropped_for_few_queries",
    .summary =
        "up to eight queries count as decoding, where nothing lies to the right: a window keeps its left bound only",
    .source = "flashinfer-ai/flashinfer PR #4137",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x32x16 mask=window:9:1",
    .kernel =
        [] {
          return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("window_right_bound_dropped_for_few_queries");
        },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
