// SPDX-License-Identifier: Apache-2.0
// The derivative of the softcap is found from the score that the weights say (log p + log_sum_exp), which holds the
// bias or ALiBi term as well. Dao-AILab/flash-attention pull request 1033 (post_softcap_value from the scores). Shows
// in dQ and dK when softcap meets a bias or alibi.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  float softcap_slope(float, float s) const override {
    const float t = s / call->softcap;
    return 1 - t * t;
  }
};

KERNEL(TiledForward, Fault)
