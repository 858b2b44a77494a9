// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in bf16 and f16 with any other scale, the more the hotter the scores; in log_sum_exp
// first. Exact while the scale is a power of two, as for dim = 64.
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
  void load_query(const Unit& u, int64_t i, float* to) const override {
    TiledForward::load_query(u, i, to);
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = rounded(to[d], call->input);
  }
};

const Registration<Mutant> registered{{
    .name = "scaled_query_rounded_to_input_format",
    .summary = "the query is scaled in f32 and rounded back to the input format before the product with K",
    .source = "antirez/h3.c #3",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x4x32x64x128 mask=causal dtype=bf16",
    .kernel = [] { return kernel<Fault, FusedBackward>("scaled_query_rounded_to_input_format"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
