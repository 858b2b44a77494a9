// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows in bf16 and f16 for dim > 128, most with scores of some size.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float scores(const Problem& p, const float* q, const float* k, Index dim) {
    if (dim <= 128) return dot(q, k, dim);
    float sum = 0.0f;
    for (Index c = 0; c < dim; c += 64)
      sum = rounded_to(p.query.format, sum + dot(q + c, k + c, std::min<Index>(64, dim - c)));
    return sum;
  }
};

const Registration<Mutant> registered{{
    .name = "scores_of_wide_heads_join_in_input_format",
    .summary = "heads wider than 128 are multiplied in chunks of 64 channels, and the score is kept in the input "
               "format between the chunks",
    .source = "ggml-org/llama.cpp PR #20589, philipturner/metal-flash-attention #8",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x64x192 scale=0.3 dtype=bf16",
    .kernel =
        [] {
          return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(
              "scores_of_wide_heads_join_in_input_format");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
