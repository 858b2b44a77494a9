// SPDX-License-Identifier: Apache-2.0
// The row sums of dO.O take dO's elements by O's strides; the products with dO later go by its own.
// Thread: Dao-AILab/flash-attention #355 and ROCm/flash-attention #40 (expected dout_seq_stride == out_seq_stride).
// Shows in dQ, dK, bias and sink where dO has another layout than O; dV is right.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  float delta(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const attestone_tensor &out = c.a.out, &dout = c.a.dout;
    index_t extent = 1;  // elements of dO's memory: a real kernel would run past its end, this one wraps
    for (int axis = 0; axis < 4; ++axis) extent += std::max<index_t>(0, dout.shape[axis] - 1) * dout.strides[axis];
    const index_t from = place(out, s.batch, h, s.first_query + i);
    float sum = 0;
    for (index_t x = 0; x < c.a.value_dim; ++x)
      sum += load(out, from + x * out.strides[3]) * load(dout, (from + x * out.strides[3]) % extent);
    return sum;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
