// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in gradients in f16 and bf16.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static float scaled_product(const Call& c, const float* q, const float* k, bool backward) {
    if (!backward || c.in == Format::f32) return Policy::scaled_product(c, q, k, backward);
    float sum = 0.0f;
    for (Int d = 0; d < c.a.dim; ++d) sum += q[d] * rounded(static_cast<float>(k[d] * c.a.scale * kLog2e), c.in);
    return sum / kLog2e;
  }
};

const Registration<Mutant> registered{{
    .name = "backward_prescales_keys_in_input_format",
    .summary = "the backward pass multiplies K by scale and log2(e), rounds that to the format of the "
               "inputs, and computes scores from it that log_sum_exp does not know",
    .source = "hao-ai-lab/FastVideo PR #1730",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x16x16 scale=1 dtype=bf16 pass=forward+backward",
    .kernel = [] { return kernel<Fault>("backward_prescales_keys_in_input_format"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
