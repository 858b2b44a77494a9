// SPDX-License-Identifier: Apache-2.0
// A window that is unbounded to the right, or wider than the keys, is given the right bound `keys`.
// Thread: Dao-AILab/flash-attention #895: window_size_right reset to max_seqlen_k loses keys where seqlen_q > seqlen_k.
// Shows for window:left:-1 with more queries than keys, in both passes alike.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

template <class Host>
class Fault : public Host {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    const index_t p = i + s.shift;
    index_t right = c.a.causal != 0 ? 0 : c.a.window_right;
    if (c.a.window_left < 0 && right < 0) return true;
    if (right < 0 || right > c.a.keys) right = c.a.keys;
    return (c.a.window_left < 0 || j >= p - c.a.window_left) && j <= p + right;
  }
};

EXPORT_KERNEL(Fault<TiledForward>, Fault<FusedBackward>)
