// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows in bf16 (and f16) with alibi: with a power of two of heads only where a distance
// is above 256 (2048) and no multiple.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float alibi(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    const Format format = p.query.format;
    const float slope = rounded_to(format, p.slopes.load(h * p.slopes.stride[0]));
    const Index distance = i + s.shift - j;
    return -rounded_to(format, slope * rounded_to(format, static_cast<float>(distance < 0 ? -distance : distance)));
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_term_in_input_format",
    .summary = "slopes, distances and their product are held in the inputs' format",
    .source = "bigscience-workshop/Megatron-DeepSpeed PR #101, HabanaAI/vllm-fork PR #503",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x8x16x512x16 score=alibi dtype=bf16",
    .kernel = [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("alibi_term_in_input_format"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
