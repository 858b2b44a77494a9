// SPDX-License-Identifier: Apache-2.0
// tanh(x) = (e^x - e^-x) / (e^x + e^-x), which is infinity / infinity from x = 89 on. vllm-project/vllm issue 56578
// (apply_softcap of the Triton kernels). Shows with softcap c where a score exceeds 88 c.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static float tanh(float x) {
    const float up = std::exp(x), down = std::exp(-x);
    return (up - down) / (up + down);
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
