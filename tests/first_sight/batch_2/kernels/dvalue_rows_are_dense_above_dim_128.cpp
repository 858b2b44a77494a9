// SPDX-License-Identifier: Apache-2.0
// Above 128 channels dV is stored with rows of value_dim elements, wherever the rows of dV really lie.
// Thread: Dao-AILab/flash-attention #2541: head_dim 256, dV corrupt when q, k, v are slices of one projection, some
// rows never written. Shows in dV for value_dim > 128 in layouts like bshd, packed_qkv and strided.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const override {
    attestone_tensor dense = c.a.dvalue;
    int64_t strides[4] = {dense.strides[0], dense.strides[1], dense.strides[2], dense.strides[3]};
    if (c.a.value_dim > 128 && strides[3] == 1) strides[2] = std::min<int64_t>(strides[2], c.a.value_dim);
    dense.strides = strides;
    store_row(x, dense, b, h, r, c.a.value_dim);
  }
};

EXPORT_KERNEL(TiledForward, Fault)
