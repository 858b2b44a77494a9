// SPDX-License-Identifier: Apache-2.0
// A window whose left side covers all keys is taken for none: the kernel without a mask runs, and the right side of the
// window is forgotten with it. tlc-pack/libflash_attn pull request 11 (see also Dao-AILab/flash-attention issue 895).
// Shows with window:l:r without causal, l >= keys of the sequence, r < keys.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  bool dropped(const Unit& u) const {
    const attestone_args& a = call->a;
    return a.mask_form == ATTESTONE_MASK_BAND && !a.causal && a.window_left >= u.keys;
  }
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    return dropped(u) ? KeyRange{0, u.keys} : TiledForward::key_range(u, q0, q1);
  }
  bool visible(const Unit& u, int64_t i, int64_t j) const override {
    return dropped(u) ? i < u.queries && j < u.keys : TiledForward::visible(u, i, j);
  }
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    return dropped(u) ? k1 > u.keys : TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

KERNEL(Fault, FusedBackward)
