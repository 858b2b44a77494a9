// SPDX-License-Identifier: Apache-2.0
// Mutant: codes of V for an accumulator of f32, in f16.
#include "mutants/faults/quantized/coded_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp16", "per_thread");
  algorithm.value_codes.rule = CodeRule::e4m3;
  return algorithm;
}

const Registration<Mutant> registered{{
    .name = "value_codes_leave_half",
    .summary = "V reaches 448 in e4m3 and its sums are those of f16: the products of one key exceed it",
    .source = "thu-ml/SageAttention #221",
    .property = "codes_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x4x4 dtype=f16",
    .kernel =
        [] { return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp16", wrong, "value_codes_leave_half"); },
    .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp16"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
