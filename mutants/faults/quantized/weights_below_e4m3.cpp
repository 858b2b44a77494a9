// SPDX-License-Identifier: Apache-2.0
// Mutant: P below the normal numbers of its format.
#include "mutants/faults/quantized/coded_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp32", "per_thread");
  algorithm.lowered = -8;
  return algorithm;
}

const Registration<Mutant> registered{{
    .name = "weights_below_e4m3",
    .summary =
        "P is at most 2^-8, as if it were divided by a long row's denominator first, and e4m3 keeps a bit of that",
    .source = "ROCm/aiter PR #5642",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x8x4 dtype=f16",
    .kernel = [] { return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32", wrong, "weights_below_e4m3"); },
    .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
