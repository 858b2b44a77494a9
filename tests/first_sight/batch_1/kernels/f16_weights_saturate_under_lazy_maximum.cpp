// SPDX-License-Identifier: Apache-2.0
// The running maximum is raised only when it grows by more than 16; weights up to e^16 are then put into f16, where
// they saturate, while their sum is taken in f32. Dao-AILab/flash-attention pull request 2713 (there e4m3). Shows in
// f16 when a later tile's maximum exceeds the first one's by 11.1 to 16. log_sum_exp stays right.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const override {
    float m = new_maximum(row, s, seen, n);
    if (row.m != -kInfinity && m - row.m <= 16) m = row.m;
    const float m_used = m == -kInfinity ? 0 : m;
    if (m != row.m) rescale(row, std::exp(row.m - m_used));
    row.m = m;
    const int64_t width = call->a.value_dim;
    for (int64_t j = 0; j < n; ++j) {
      if (!seen[j]) continue;
      float p = std::exp(s[j] - m_used);
      row.l += p;
      if (call->input == Format::f16 && p > 65504) p = 65504;
      for (int64_t d = 0; d < width; ++d) row.o[static_cast<size_t>(d)] += p * v[j * width + d];
    }
  }
};

KERNEL(Fault, FusedBackward)
