// SPDX-License-Identifier: Apache-2.0
// Rows longer than 512 are summed in f16: from 2048 on the sum does not notice a weight of 1 any more, and rows are
// divided by too little. sonos/tract pull request 2586 (there at any length). log_sum_exp has a sum of its own, in f32.
// Shows in f16 with long keys, most with level scores: an output that is too large by a common factor.
#include "../hosts/fused_backward.hpp"
#include "../hosts/unfused_forward.hpp"

class Fault : public UnfusedForward {
 protected:
  float sum(const std::vector<float>& p) const override {
    if (call->input != Format::f16 || p.size() <= 512) return UnfusedForward::sum(p);
    float l = 0;
    for (const float x : p) l = rounded(l + rounded(x, Format::f16), Format::f16);
    return l;
  }
};

KERNEL(Fault, FusedBackward)
