// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 with what its source makes of NaN (docs/quantized.md).
#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/flash4/flash4_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

SharedKernel flash4_with(bool Flash4AsPublished::*fault, const std::string& name) {
  Flash4AsPublished as_published;
  as_published.*fault = true;
  return changed(std::make_shared<Flash4>(as_published), {.name = name});
}

// Where a denominator is 0 or NaN, its log_sum_exp says that nothing was there; of x and -127 its polynomial takes the
// larger one, which of NaN and a number is the number.
const Registrations<Mutant> registered{
    {.name = "flash4_nan_rows_are_empty",
     .summary = "log_sum_exp of a row of NaN is that of a row without keys",
     .source = "Dao-AILab/flash-attention 0251105, flash_attn/cute/flash_fwd_sm100.py, correction_loop",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x2x24x4 dtype=f16 fill=nonfinite",
     .kernel = [] { return flash4_with(&Flash4AsPublished::nan_rows_are_empty, "flash4_nan_rows_are_empty"); },
     .twin = [] { return make_kernel("flash4"); }},
    {.name = "flash4_nan_vanishes",
     .summary = "a score of NaN weighs nothing where its power of 2 comes from FlashAttention-4's polynomial",
     .source = "Dao-AILab/flash-attention 0251105, flash_attn/cute/utils.py, ex2_emulation_2",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=4x8x2x96x4 dtype=f16 fill=nonfinite seed=5",
     .kernel = [] { return flash4_with(&Flash4AsPublished::nan_vanishes, "flash4_nan_vanishes"); },
     .twin = [] { return make_kernel("flash4"); }},
};

}  // namespace
}  // namespace attestone::inline mutants
