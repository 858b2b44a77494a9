// SPDX-License-Identifier: Apache-2.0
// The row state is seeded with the sink on the scale of scores before the softcap, so that the sink is capped as well.
// ROCm/rocm-libraries pull request 12229 (third commit: soft cap).
// Shows with a sink and a softcap that is not much larger than the sink.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float sink(const Unit& u) const override {
    const float z = call->sink(u.h);
    return z == -kInfinity ? z : call->softcapped(z);
  }
};

KERNEL(Fault, FusedBackward)
