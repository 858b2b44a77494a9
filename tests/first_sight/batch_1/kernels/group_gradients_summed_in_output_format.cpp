// SPDX-License-Identifier: Apache-2.0
// dK and dV of the query heads that share a kv head are added up in the output format, one head after the other,
// instead of in f32. xlite-dev/ffpa-attn pull request 301 ("accumulate compact dK/dV in fp32 across query groups").
// Shows in bf16 and f16 with large groups: several ulps of dK and dV.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  void head_done(const Unit&) override {
    for (float& x : dk) x = rounded(x, call->out.format());
    for (float& x : dv) x = rounded(x, call->out.format());
  }
};

KERNEL(TiledForward, Fault)
