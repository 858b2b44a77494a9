// SPDX-License-Identifier: Apache-2.0
// Only the key tile on the diagonal is masked under causal; the one before it counts as full, which is so while queries
// and keys begin at the same tile. Dao-AILab/flash-attention pull request 436 ("causal masking on 2 blocks").
// Shows when keys - queries puts the diagonal of a query tile across two key tiles: future keys leak.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    const attestone_args& a = call->a;
    if (a.mask_form == ATTESTONE_MASK_BAND && a.causal && a.window_left < 0 && a.window_right < 0) return last;
    return TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

KERNEL(Fault, FusedBackward)
