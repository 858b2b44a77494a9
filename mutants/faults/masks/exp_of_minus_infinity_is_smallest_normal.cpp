// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in empty rows of a tile that other rows use: the mean of V, and log_sum_exp near -83.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  float weight(float x) const override { return std::exp(x < -87.33654f ? -87.33654f : x); }
  void add_key(Row& row, float x, bool seen, const float* v) const override {
    TiledForward::add_key(row, seen ? x : -kInfinity, true, v);
  }
};

const Registration<Mutant> registered{{
    .name = "exp_of_minus_infinity_is_smallest_normal",
    .summary = "the vectorized exp clamps its argument at ln(FLT_MIN), so that a hidden score of -inf weighs 1.2e-38 "
               "and not 0",
    .source = "vllm-project/vllm PR #40428, huggingface/funes PR #160",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x80x64x16 mask=causal",
    .kernel = [] { return kernel<Fault, FusedBackward>("exp_of_minus_infinity_is_smallest_normal"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
