// SPDX-License-Identifier: Apache-2.0
// The query heads of a group are padded to a power of two, and the kv head is the head shifted right by that power.
// apache/tvm pull request 17466 (wrong with 28 query heads on 4, right with 32).
// Shows when heads / kv_heads is no power of two and there is more than one kv head.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  Unit unit_of(int64_t index) const override {
    Unit u = TiledForward::unit_of(index);
    int shift = 0;
    while ((int64_t{1} << shift) < call->a.heads / call->a.kv_heads) ++shift;
    u.kv_head = u.h >> shift;
    return u;
  }
};

KERNEL(Fault, FusedBackward)
