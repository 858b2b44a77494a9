// SPDX-License-Identifier: Apache-2.0
// The query tiles that a key tile meets end at key + left, without queries - keys, which is the same only while both
// are equal. ROCm/aiter pull request 3742 (_sliding_window_q_bounds). Shows with a left window and more queries than
// keys (padded and ragged sequences included): rows are missing.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  KeyRange query_range(const Unit& u, int64_t k0, int64_t k1) const override {
    KeyRange range = FusedBackward::query_range(u, k0, k1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.last = std::min(u.queries, k1 + call->a.window_left);
    return range;
  }
};

KERNEL(TiledForward, Fault)
