// SPDX-License-Identifier: Apache-2.0
// The tile for heads wider than 128 counts the key tiles of a window from 0 and ignores where the window begins when it
// loads K and V; the mask still goes by the true keys. sgl-project/sgl-flash-attn pull request 50.
// Shows with dim > 128, a left window, and a first visible key behind the first key tile.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  int64_t tile_source(const Unit&, int64_t k0, const KeyRange& range) const override {
    if (call->a.dim <= 128 || call->a.mask_form != ATTESTONE_MASK_BAND || call->a.window_left < 0) return k0;
    return k0 - range.first / kKeyTile * kKeyTile;
  }
};

KERNEL(Fault, FusedBackward)
