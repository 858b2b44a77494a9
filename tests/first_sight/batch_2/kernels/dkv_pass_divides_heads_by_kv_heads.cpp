// SPDX-License-Identifier: Apache-2.0
// The kernel of dK and dV splits the query head by the number of kv heads, not by that of query heads per kv head.
// Thread: XunhaoLai/native-sparse-attention-triton #27, part 1: a bijection only where the two counts are equal.
// Shows with grouped heads where heads / kv_heads differs from kv_heads; 4/2 is right.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

class Fault : public TwoPassBackward {
 protected:
  index_t kv_head_of(const Call& c, index_t h) const override { return c.group() == 1 ? h : h / c.a.kv_heads; }
};

EXPORT_KERNEL(TiledForward, Fault)
