// SPDX-License-Identifier: Apache-2.0
// The vectorized exp clamps its argument at ln(FLT_MIN), so that a hidden score of -inf weighs 1.2e-38 and not 0.
// vllm-project/vllm pull request 40428 (and its review); huggingface/funes pull request 160.
// Shows in empty rows of a tile that other rows use: the mean of V, and log_sum_exp near -83.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float weight(float x) const override { return std::exp(x < -87.33654f ? -87.33654f : x); }
  void add_key(Row& row, float x, bool seen, const float* v) const override {
    TiledForward::add_key(row, seen ? x : -kInfinity, true, v);
  }
};

KERNEL(Fault, FusedBackward)
