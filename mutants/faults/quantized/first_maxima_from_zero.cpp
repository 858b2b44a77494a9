// SPDX-License-Identifier: Apache-2.0
// Mutant: maxima that are never negative.
#include "mutants/faults/quantized/sage3_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "first_maxima_from_zero",
    .summary = "the first tile's maxima begin at 0, so weights of rows whose scores are all negative vanish",
    .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/softmax_fused.h",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x8x8x16 mask=causal scale=4 dtype=f16",
    .kernel = [] { return sage3_with(&Sage3::first_maxima_from_zero, "first_maxima_from_zero"); },
    .twin = [] { return make_kernel("sage3_fp4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
