// SPDX-License-Identifier: Apache-2.0
// The backward pass regains the capped score from the logit, bias included, and takes 1 - (logit / c)^2 as derivative.
// Thread: Dao-AILab/flash-attention #1033, review of the path without stored dtanh: post_softcap_value from log(P) +
// lse, to which ALiBi belongs. Shows in dQ and dK with softcap beside a bias or ALiBi.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = FusedBackward::logit(c, s, h, i, j, qk);
    const float cap = softcap(c);
    if (cap > 0) z.slope = 1.0f - (z.value / cap) * (z.value / cap);
    return z;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
