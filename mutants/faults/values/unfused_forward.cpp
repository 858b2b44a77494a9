// SPDX-License-Identifier: Apache-2.0
// A sum of weights in f16 that stops growing.
#include "mutants/hosts/one_sweep/unfused_forward.hpp"

#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows in f16 with long keys, most with level scores: an output that is too large by a common factor. log_sum_exp
/// has a sum of its own, in f32.
class F16RowSumSticks : public UnfusedForward {
 protected:
  float sum(const std::vector<float>& p) const override {
    if (call->input != Format::f16 || p.size() <= 512) return UnfusedForward::sum(p);
    float l = 0;
    for (const float x : p) l = rounded(l + rounded(x, Format::f16), Format::f16);
    return l;
  }
};

const Registrations<Mutant> registered{
    {.name = "f16_row_sum_sticks",
     .summary = "rows longer than 512 are summed in f16: from 2048 on the sum does not notice a weight of 1 any more, "
                "and rows are divided by too little",
     .source = "sonos/tract PR #2586",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x4096x64 dtype=f16>f32",
     .batch = "first",
     .kernel = [] { return kernel<F16RowSumSticks, FusedBackward>("f16_row_sum_sticks"); },
     .twin = right_unfused},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
