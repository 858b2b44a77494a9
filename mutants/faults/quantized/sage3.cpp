// SPDX-License-Identifier: Apache-2.0
// SageAttention3 with faults that its release 2.2.0 or a port of it has (docs/quantized.md).
#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/quantized_kernels/sage3_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

SharedKernel sage3_with(bool Sage3::*fault, const std::string& name) {
  Sage3 algorithm(false);
  algorithm.*fault = true;
  const Settings settings(Registry<KernelEntry>::find("sage3_fp4")->settings);
  return changed(std::make_shared<Sage3Attention>(settings, algorithm), {.name = name});
}

const Registrations<Mutant> registered{
    {.name = "causal_drops_second_tile",
     .summary = "a causal row meets its second tile of keys with masks, and throws the products with V away",
     .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/mainloop_tma_ws.h",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x140x140x16 mask=causal dtype=f16",
     .kernel = [] { return sage3_with(&Sage3::drops_second_tile, "causal_drops_second_tile"); },
     .twin = [] { return make_kernel("sage3_fp4"); }},
    {.name = "first_maxima_from_zero",
     .summary = "the first tile's maxima begin at 0, so weights of rows whose scores are all negative vanish",
     .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/softmax_fused.h",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x8x16 mask=causal scale=4 dtype=f16",
     .kernel = [] { return sage3_with(&Sage3::first_maxima_from_zero, "first_maxima_from_zero"); },
     .twin = [] { return make_kernel("sage3_fp4"); }},
    {.name = "first_mean_for_all",
     .summary = "scores of all rows of Q get the mean of the first 128 back: it shows behind them alone",
     .source = "flashinfer-ai/flashinfer PR #3838",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x129x8x16 scale=2 dtype=f16",
     .kernel = [] { return sage3_with(&Sage3::first_mean_for_all, "first_mean_for_all"); },
     .twin = [] { return make_kernel("sage3_fp4"); }},
    {.name = "masks_by_permuted_columns",
     .summary = "K is permuted inside of each 32 keys, and masks take a key for that whose place it has",
     .source = "thu-ml/SageAttention d1a57a5, sageattention3_blackwell/sageattn3/blackwell/mainloop_tma_ws.h",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x5x16 scale=4 dtype=f16",
     .kernel = [] { return sage3_with(&Sage3::masks_stored_columns, "masks_by_permuted_columns"); },
     .twin = [] { return make_kernel("sage3_fp4"); }},
};

}  // namespace
}  // namespace attestone::inline mutants
