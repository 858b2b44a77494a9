// SPDX-License-Identifier: Apache-2.0
// Mutant: of x and -127 the larger one, which of NaN and a number is the number.
#include "mutants/faults/as_published/flash4.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "flash4_nan_vanishes",
    .summary = "a score of NaN weighs nothing where its power of 2 comes from FlashAttention-4's polynomial",
    .source = "Dao-AILab/flash-attention 0251105, flash_attn/cute/utils.py, ex2_emulation_2",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=4x8x2x96x4 dtype=f16 fill=nonfinite seed=5",
    .kernel = [] { return flash4_with(&Flash4AsPublished::nan_vanishes, "flash4_nan_vanishes"); },
    .twin = [] { return make_kernel("flash4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
