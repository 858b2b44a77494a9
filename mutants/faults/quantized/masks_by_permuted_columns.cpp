// SPDX-License-Identifier: Apache-2.0
// Mutant: masks that go by where a key lies in memory.
#include "mutants/faults/quantized/sage3_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "masks_by_permuted_columns",
    .summary = "K is permuted inside of each 32 keys, and masks take a key for that whose place it has",
    .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/mainloop_tma_ws.h",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x5x16 scale=4 dtype=f16",
    .kernel = [] { return sage3_with(&Sage3::masks_stored_columns, "masks_by_permuted_columns"); },
    .twin = [] { return make_kernel("sage3_fp4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
