// SPDX-License-Identifier: Apache-2.0
// Heads wider than 128 are multiplied in chunks of 64 channels, and the score is kept in the input format between the
// chunks. ggml-org/llama.cpp pull request 20589 (the Q*K dot was float16 where ACC_TYPE was meant);
// philipturner/metal-flash-attention issue 8. Shows in bf16 and f16 for dim > 128, most with scores of some size.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static float scores(const Problem& p, const float* q, const float* k, Index dim) {
    if (dim <= 128) return dot(q, k, dim);
    float sum = 0.0f;
    for (Index c = 0; c < dim; c += 64)
      sum = rounded_to(p.query.format, sum + dot(q + c, k + c, std::min<Index>(64, dim - c)));
    return sum;
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
