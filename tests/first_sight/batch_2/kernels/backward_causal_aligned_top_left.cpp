// SPDX-License-Identifier: Apache-2.0
// The forward pass aligns a causal mask bottom right, the backward pass masks key <= query.
// Thread: xlite-dev/ffpa-attn #300: causal cross-attention, right output and wrong gradients or NaN.
// Shows for causal where queries and keys differ in number.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    if (c.a.causal == 0) return FusedBackward::in_band(c, s, i, j);
    return j <= i && (c.a.window_left < 0 || j >= i + s.shift - c.a.window_left);
  }
};

EXPORT_KERNEL(TiledForward, Fault)
