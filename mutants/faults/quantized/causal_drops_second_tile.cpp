// SPDX-License-Identifier: Apache-2.0
// Mutant: a tile of keys whose product with V is lost.
#include "mutants/faults/quantized/sage3_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "causal_drops_second_tile",
    .summary = "a causal row meets its second tile of keys with masks, and throws the products with V away",
    .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/mainloop_tma_ws.h",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x140x140x16 mask=causal dtype=f16",
    .kernel = [] { return sage3_with(&Sage3::drops_second_tile, "causal_drops_second_tile"); },
    .twin = [] { return make_kernel("sage3_fp4"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
