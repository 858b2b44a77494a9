// SPDX-License-Identifier: Apache-2.0
// Mutant: P beyond the largest number of its format.
#include "mutants/faults/quantized/coded_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp32", "per_thread");
  algorithm.lowered = 12;  // powers of 2, of which e4m3 has nearly nine
  return algorithm;
}

const Registration<Mutant> registered{{
    .name = "weights_beyond_e4m3",
    .summary = "P reaches 2^12 and saturates at 448 in e4m3, and the denominator is that of P before",
    .source = "Dao-AILab/flash-attention #2577, #2716",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x4 dtype=f16",
    .kernel = [] { return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32", wrong, "weights_beyond_e4m3"); },
    .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
