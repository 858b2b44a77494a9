// SPDX-License-Identifier: Apache-2.0
// Mutant: where a denominator is 0 or NaN, log_sum_exp says that nothing was there.
#include "mutants/faults/as_published/flash4.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "flash4_nan_rows_are_empty",
    .summary = "log_sum_exp of a row of NaN is that of a row without keys",
    .source = "Dao-AILab/flash-attention 0251105, flash_attn/cute/flash_fwd_sm100.py, correction_loop",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x2x24x4 dtype=f16 fill=nonfinite",
    .kernel = [] { return flash4_with(&Flash4AsPublished::nan_rows_are_empty, "flash4_nan_rows_are_empty"); },
    .twin = [] { return make_kernel("flash4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
