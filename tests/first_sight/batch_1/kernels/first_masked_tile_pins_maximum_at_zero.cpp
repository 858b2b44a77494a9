// SPDX-License-Identifier: Apache-2.0
// Where the tile that a row begins with is wholly hidden, its maximum is set to 0 so that -inf - (-inf) is no NaN, and
// 0 is then kept as if it were a score. Dao-AILab/flash-attention issue 2082.
// Shows in rows whose first (rightmost) tile is masked and whose scores all lie far below 0.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return m == -kInfinity ? 0 : m;
  }
};

KERNEL(Fault, FusedBackward)
