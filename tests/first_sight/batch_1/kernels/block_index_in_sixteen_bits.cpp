// SPDX-License-Identifier: Apache-2.0
// The block's number over batch and heads goes through a grid axis of 16 bits where K and V are found: blocks from
// 65536 on read those of the first sequences. flashinfer-ai/flashinfer issue 3125 (gridDim.z; there the launch is
// lost). Shows with batch * heads > 65536.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  Unit wrapped(const Unit& u) const {
    const int64_t index = u.b * call->a.heads + u.h;
    return call->key_starts ? u : TiledForward::unit_of(index & 0xFFFF);
  }
  void load_key(const Unit& u, int64_t j, float* to) const override { TiledForward::load_key(wrapped(u), j, to); }
  void load_value(const Unit& u, int64_t j, float* to) const override { TiledForward::load_value(wrapped(u), j, to); }
};

KERNEL(Fault, FusedBackward)
