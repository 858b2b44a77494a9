// SPDX-License-Identifier: Apache-2.0
// Products of q and k that are rounded to f16 before they are scaled.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows in f16.
struct HalfScoresBeforeScale : Policy {
  static float scaled_product(const Call& c, const float* q, const float* k, bool /*backward*/) {
    float sum = 0.0f;
    for (Int d = 0; d < c.a.dim; ++d) sum += q[d] * k[d];
    return static_cast<float>((c.in == Format::f16 ? f16_rounded(sum) : sum) * c.a.scale);
  }
};

const Registrations<Mutant> registered{
    {.name = "half_scores_before_scale",
     .summary = "with inputs in f16 the product of a query and a key is rounded to f16 before it is scaled, which is "
                "not declared",
     .source = "philipturner/metal-flash-attention #8, mlc-ai/mlc-llm PR #1638, ggml-org/llama.cpp #7805",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x2x16x16x32 dtype=f16",
     .batch = "fifth",
     .kernel = [] { return kernel<HalfScoresBeforeScale>("half_scores_before_scale"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
