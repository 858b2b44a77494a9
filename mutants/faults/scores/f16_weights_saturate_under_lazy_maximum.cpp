// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in f16 when a later tile's maximum exceeds the first one's by 11.1 to 16. log_sum_exp
// stays right.
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
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return row.m != -kInfinity && m - row.m <= 16 ? row.m : m;
  }
  float weight_of_value(float p) const override { return call->input == Format::f16 && p > 65504 ? 65504 : p; }
};

const Registration<Mutant> registered{{
    .name = "f16_weights_saturate_under_lazy_maximum",
    .summary = "the running maximum is raised only when it grows by more than 16; weights up to e^16 are then put into "
               "f16, where they saturate, while their sum is taken in f32",
    .source = "Dao-AILab/flash-attention PR #2713",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x32x256x64 scale=2 dtype=f16",
    .kernel = [] { return kernel<Fault, FusedBackward>("f16_weights_saturate_under_lazy_maximum"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
