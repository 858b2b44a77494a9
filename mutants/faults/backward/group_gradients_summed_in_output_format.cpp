// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in bf16 and f16 with large groups: several ulps of dK and dV.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  void head_done(const Unit&) override {
    for (float& x : dk) x = rounded(x, call->out.format);
    for (float& x : dv) x = rounded(x, call->out.format);
  }
};

const Registration<Mutant> registered{{
    .name = "group_gradients_summed_in_output_format",
    .summary = "dK and dV of the query heads that share a kv head are added up in the output format, one head after "
               "the other, instead of in f32",
    .source = "xlite-dev/ffpa-attn PR #301",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x32/1x16x24x32 dtype=bf16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("group_gradients_summed_in_output_format", in_f32); },
    .twin = right_tiled_in_f32,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
