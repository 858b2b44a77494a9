// SPDX-License-Identifier: Apache-2.0
// When the maximum rises, the output so far is rescaled over dim channels instead of value_dim: the v-space extent is
// taken from the q/k head. XunhaoLai/native-sparse-attention-triton issue 27 (extents of V by qk_head_dim).
// Shows with value_dim > dim and more than one key tile (or a sink), in the channels behind dim.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  void rescale(Row& row, float alpha) const override {
    row.l *= alpha;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d) row.o[static_cast<size_t>(d)] *= alpha;
  }
};

KERNEL(Fault, FusedBackward)
