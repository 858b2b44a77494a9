// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with softcap c where a score exceeds 88 c.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float tanh(float x) {
    const float up = std::exp(x), down = std::exp(-x);
    return (up - down) / (up + down);
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_tanh_by_two_exponentials",
    .summary = "tanh(x) = (e^x - e^-x) / (e^x + e^-x), which is infinity / infinity from x = 89 on",
    .source = "vllm-project/vllm #56578",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x16x64x16 score=softcap:2 scale=100",
    .kernel =
        [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("softcap_tanh_by_two_exponentials"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
