// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with a negative scale and scores of a row more than 88 apart; without overflow
// the answer is right.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static bool plain(const Problem& p) { return p.a.scale < 0 && !p.bias && !p.slopes && p.a.softcap == 0; }
  static bool above(const Problem& p, float x, float maximum) {
    return plain(p) ? maximum == -kInf || x < maximum : x > maximum;
  }
  static float raised(const Problem& p, float maximum, float tile_maximum) {
    if (plain(p) && maximum != -kInf) return std::min(maximum, tile_maximum);
    return std::max(maximum, tile_maximum);
  }
};

const Registration<Mutant> registered{{
    .name = "maximum_taken_before_the_scale",
    .summary = "the running maximum is that of q.k, and multiplied by the scale later: with a negative scale it is the "
               "least score, and weights overflow",
    .source = "flashinfer-ai/flashinfer PR #4859",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x16x64x16 scale=-50",
    .kernel =
        [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("maximum_taken_before_the_scale"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
