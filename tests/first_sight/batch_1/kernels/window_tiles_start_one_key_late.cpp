// SPDX-License-Identifier: Apache-2.0
// The first key tile of a windowed query tile is found for p + 1 - left, as if the window counted the query itself.
// ml-explore/mlx pull request 3552 (the review of "+ 1").
// Shows where the leftmost visible key of a query tile is the last key of a key tile: that key is lost.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    KeyRange range = TiledForward::key_range(u, q0, q1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.first = std::max<int64_t>(0, q0 + u.shift + 1 - call->a.window_left);
    return {range.first, std::max(range.first, range.last)};
  }
};

KERNEL(Fault, FusedBackward)
