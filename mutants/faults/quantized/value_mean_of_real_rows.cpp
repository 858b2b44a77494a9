// SPDX-License-Identifier: Apache-2.0
// Mutant: V loses another mean than the released kernel has.
#include "mutants/faults/quantized/coded_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = with_smooth_values(sage_fp8_cuda("fp32", "per_thread"));
  algorithm.value_codes.mean_padding = 1;
  return algorithm;
}

const Registration<Mutant> registered{{
    .name = "value_mean_of_real_rows",
    .summary =
        "the mean of V is that of its rows, where the released kernel counts rows of zeros up to a multiple of 16",
    .source = "thu-ml/SageAttention, csrc/fused/fused.cu, MeanScaleKernel",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x17x8 dtype=f16 fill=wide",
    .kernel =
        [] {
          return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", wrong, "value_mean_of_real_rows");
        },
    .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
