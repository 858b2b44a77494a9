// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows in bf16 and f16 on the split route: clearly with a wider output, or where the parts
// cancel each other.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/split_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public SplitForward {
 protected:
  void close(Part& part, int64_t splits) const override {
    SplitForward::close(part, splits);
    if (splits > 1)
      for (float& x : part.o) x = rounded(x, call->input);
  }
};

const Registration<Mutant> registered{{
    .name = "split_partials_kept_in_input_format",
    .summary = "the outputs of the parts are divided by their sums and rounded to the input format before the second "
               "kernel merges them",
    .source = "vllm-project/vllm-xpu-kernels PR #204",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x8/2x1x1024x64 dtype=bf16>f32",
    .kernel = [] { return kernel<Fault, FusedBackward>("split_partials_kept_in_input_format", in_f32); },
    .twin = right_split_in_f32,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
