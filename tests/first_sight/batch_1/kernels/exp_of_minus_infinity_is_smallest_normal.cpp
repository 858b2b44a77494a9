// SPDX-License-Identifier: Apache-2.0
// The vectorized exp clamps its argument at ln(FLT_MIN), so that a hidden score of -inf weighs 1.2e-38 and not 0.
// vllm-project/vllm pull request 40428 (and its review); huggingface/funes pull request 160.
// Shows in empty rows of a tile that other rows use: the mean of V, and log_sum_exp near -83.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float weight(float x) const override { return std::exp(x < -87.33654f ? -87.33654f : x); }
  void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const override {
    const float m = new_maximum(row, s, seen, n);
    const float m_used = m == -kInfinity ? 0 : m;
    if (m != row.m) rescale(row, std::exp(row.m - m_used));
    row.m = m;
    const int64_t width = call->a.value_dim;
    for (int64_t j = 0; j < n; ++j) {
      const float p = weight((seen[j] ? s[j] : -kInfinity) - m_used);
      row.l += p;
      for (int64_t d = 0; d < width; ++d) row.o[static_cast<size_t>(d)] += p * v[j * width + d];
    }
  }
};

KERNEL(Fault, FusedBackward)
