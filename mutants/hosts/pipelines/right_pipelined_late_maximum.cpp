// SPDX-License-Identifier: Apache-2.0
// A right kernel: the running maximum is raised only when a tile exceeds it by more than 8, as in FlashAttention-4;
// weights reach e^8, and are put into the input format so.
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

struct LateMaximum : PipelinedPolicy {
  static float raised(const Problem&, float maximum, float tile_maximum) {
    return maximum != -kInf && tile_maximum - maximum <= 8.0f ? maximum : std::max(maximum, tile_maximum);
  }
};

const Registration<Twin> registered{{
    .name = "right_pipelined_late_maximum",
    .summary = "a maximum that is raised only by more than 8",
    .batch = "third",
    .kernel =
        [] {
          return kernel<Pipelined<LateMaximum>, TwoPassBackward<TwoPassPolicy>>("right_pipelined_late_maximum",
                                                                                "weight.reference_distance=8");
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
