// SPDX-License-Identifier: Apache-2.0
// Under causal the ALiBi term is slope * (key - last key): the softmax does not notice a constant per row, log_sum_exp
// does. Dao-AILab/flash-attention issue 1585 ("if causal, we add alibi_slope * column_idx").
// Shows in log_sum_exp alone, with alibi and causal, in all rows but the last.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float alibi(const Unit& u, int64_t i, int64_t j) const override {
    if (!call->slopes.present() || call->a.mask_form != ATTESTONE_MASK_BAND || !call->a.causal)
      return TiledForward::alibi(u, i, j);
    return call->slopes.get(u.h) * static_cast<float>(j - (u.keys - 1));
  }
};

KERNEL(Fault, FusedBackward)
