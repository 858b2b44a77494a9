// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows in bf16 and f16 where 1/sqrt(dim), or the given scale, is not exact there; dims
// 16, 64 and 256 are. An error of every score by one factor: seen best in log_sum_exp and with large scores.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float scale(const Problem& p) { return rounded_to(p.query.format, Rules::scale(p)); }
};

const Registration<Mutant> registered{{
    .name = "scale_held_in_input_format",
    .summary = "the scale is a scalar of the inputs' format",
    .source = "openxla/tokamax PR #1306",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x2x16x64x128 dtype=bf16",
    .kernel = [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("scale_held_in_input_format"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
