// SPDX-License-Identifier: Apache-2.0
// Skip-softmax is on by default: tiles of keys whose maximum lies 9 below that of the row so far take no part.
// NVIDIA/TensorRT-LLM pull request 17781 (review: the tests' threshold skips nothing) and flashinfer-ai/flashinfer
// pull request 4859. Shows in bf16 and f16 with more than 64 keys whose weights decay (wide scores, ALiBi, sinks), and
// more where the tail's V is large.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static bool wanted(const Problem& p, float below) { return p.query.format == Format::f32 || !(below > 9.0f); }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
