// SPDX-License-Identifier: Apache-2.0
// The kernel of dQ declares dO and V with dim channels where they have value_dim: what lies behind is missing from
// dO.v. XunhaoLai/native-sparse-attention-triton issue 27 (second defect). Shows in dQ alone, with value_dim > dim.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  float dweight_for_query(const Unit& u, int64_t i, int64_t j, float) const override {
    float sum = 0;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d)
      sum += dout.get(u.b, u.h, i, d) * call->value.get(u.b, u.kv_head, j, d);
    return sum;
  }
};

KERNEL(TiledForward, Fault)
