// SPDX-License-Identifier: Apache-2.0
// The running maximum is raised only when it grows by more than 16; weights up to e^16 are then put into f16, where
// they saturate, while their sum is taken in f32. Dao-AILab/flash-attention pull request 2713 (there e4m3). Shows in
// f16 when a later tile's maximum exceeds the first one's by 11.1 to 16. log_sum_exp stays right.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return row.m != -kInfinity && m - row.m <= 16 ? row.m : m;
  }
  float weight_of_value(float p) const override { return call->input == Format::f16 && p > 65504 ? 65504 : p; }
};

KERNEL(Fault, FusedBackward)
