// SPDX-License-Identifier: Apache-2.0
// SageAttention's kernels, release 2.2.0 (commit d1a57a5), and those that its papers describe.
#pragma once

#include <string>

#include "backends/cpu/quantized_kernels/algorithm.hpp"

namespace attestone::inline backends {

/// qk_int8_pv_fp16_triton: sageattention/triton/quant_per_block.py, attn_qk_int8_per_block{,_causal}.py.
CodedAlgorithm sage_fp16_triton();
/// sageattn_varlen of sageattention/core.py: the same for packed sequences, whose K all lose the mean of all of them.
CodedAlgorithm sage_varlen();
/// qk_int8_pv_fp16_cuda: csrc/qattn/qk_int_sv_f16_cuda_sm80.cu. `accumulator` is fp32, fp16 or fp16+fp32, `granularity`
/// per_thread or per_warp.
CodedAlgorithm sage_fp16_cuda(const std::string& accumulator, const std::string& granularity, index dim);
/// qk_int8_pv_fp8_cuda: csrc/qattn/qk_int_sv_f8_cuda_sm89.cuh. `accumulator` is fp32, fp32+fp32 or fp32+fp16.
CodedAlgorithm sage_fp8_cuda(const std::string& accumulator, const std::string& granularity);
/// qk_int8_pv_fp8_cuda_sm90: csrc/qattn/qk_int_sv_f8_cuda_sm90.cu.
CodedAlgorithm sage_fp8_sm90(const std::string& granularity);
/// smooth_v=True: V loses its mean, which O is given back (quant.py, sub_mean; csrc/fused/fused.cu, MeanScaleKernel,
/// which appends rows of zeros up to a multiple of 16).
CodedAlgorithm with_smooth_values(CodedAlgorithm);
/// SageAttention2 (arXiv 2411.10958), section 3: Q and K less their means in int4 by thread, P and V in e4m3.
CodedAlgorithm sage2_int4();

}  // namespace attestone::inline backends
