// SPDX-License-Identifier: Apache-2.0
// The pass before the backward one reads O and dO as if they were packed [b, h, s, d].
// flagos-ai/FlagAttention pull request 1. dQ, dK (and dbias, dsink) go wrong, dV does not.
// Shows where O or dO lie otherwise: layout=bshd and others.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  static bool repeats(const Tensor& t) {
    for (int axis = 0; axis < 4; ++axis)
      if (t.stride(axis) == 0 && t.extent(axis) > 1) return true;
    return t.ragged();
  }
  float delta_of(const Unit& u, int64_t i) const override {
    if (repeats(dout) || repeats(call->out)) return FusedBackward::delta_of(u, i);
    const int64_t row = (u.b * call->a.heads + u.h) * call->a.queries + i;
    float sum = 0;
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      sum += dout.load(row * call->a.value_dim + d) * call->out.load(row * call->a.value_dim + d);
    return sum;
  }
};

KERNEL(TiledForward, Fault)
