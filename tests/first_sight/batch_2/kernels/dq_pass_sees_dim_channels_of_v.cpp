// SPDX-License-Identifier: Apache-2.0
// The kernel of dQ declares dO and V with dim channels: where value_dim is larger, the rest is masked out of dP.
// Thread: XunhaoLai/native-sparse-attention-triton #27, part 2: backward_dq never reads v_head_dim.
// Shows in dQ (and the bias) where value_dim > dim; dK and dV are right.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

class Fault : public TwoPassBackward {
 protected:
  index_t value_channels(const Call& c) const override {
    return pass_ == 1 ? std::min(c.a.dim, c.a.value_dim) : c.a.value_dim;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
