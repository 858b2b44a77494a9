// SPDX-License-Identifier: Apache-2.0
// The query is scaled in f32 and rounded back to the input format before the product with K.
// antirez/h3.c issue 3. Exact while the scale is a power of two, as for dim = 64.
// Shows in bf16 and f16 with any other scale, the more the hotter the scores; in log_sum_exp first.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  void load_query(const Unit& u, int64_t i, float* to) const override {
    TiledForward::load_query(u, i, to);
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = rounded(to[d], call->input);
  }
};

KERNEL(Fault, FusedBackward)
