// SPDX-License-Identifier: Apache-2.0
// Slopes, distances and their product are held in the inputs' format. bigscience-workshop/Megatron-DeepSpeed pull
// request 101 (self.alibi.to(torch.bfloat16)); HabanaAI/vllm-fork pull request 503 (VLLM_ALIBI_USE_FLOAT32_BIASES "to
// resolve accuracy issue on long sequences"). Shows in bf16 (and f16) with alibi: with a power of two of heads only
// where a distance is above 256 (2048) and no multiple.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static float alibi(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const Format format = p.query.format;
    const float slope = rounded_to(format, p.slopes.get(h * p.slopes.stride[0]));
    const Index distance = i + s.shift - j;
    return -rounded_to(format, slope * rounded_to(format, static_cast<float>(distance < 0 ? -distance : distance)));
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
