// SPDX-License-Identifier: Apache-2.0
// Mutant: the product of K with the mean of other rows.
#include "mutants/faults/quantized/sage3_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "first_mean_for_all",
    .summary = "scores of all rows of Q get the mean of the first 128 back: it shows behind them alone",
    .source = "flashinfer-ai/flashinfer PR #3838",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x129x8x16 scale=2 dtype=f16",
    .kernel = [] { return sage3_with(&Sage3::first_mean_for_all, "first_mean_for_all"); },
    .twin = [] { return make_kernel("sage3_fp4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
