// SPDX-License-Identifier: Apache-2.0
// SageAttention's kernels as data: which codes, which tensor core, and how the product with V is added up.
#pragma once

#include <string>

#include "reference/numerics/operand_codes.hpp"
#include "reference/tensor_cores/matrix_unit.hpp"

namespace attestone {

/// How the products P V of tiles become O.
enum class TileSums {
  apart,     ///< each tile begins at 0, and is then added to O in f32
  onto_out,  ///< each tile begins with O, which is a number of the tensor core's accumulator
};

/// One of SageAttention's kernels, release 2.2.0 (commit d1a57a5).
struct CodedAlgorithm {
  OperandCodes query_codes, key_codes;
  OperandCodes value_codes;  ///< none: V is rounded to f16
  const MatrixUnit* unit;    ///< that multiplies P and V
  TileSums sums = TileSums::apart;
  /// Adds up the denominator, from weights as they are cast; null: that is a sum in f32 of weights that are not.
  const MatrixUnit* denominator = nullptr;
  bool scaled_before_codes = false;  ///< Q is multiplied by scale * log2 e before; else each score is
  float lowered = 0;                 ///< what is subtracted from the maximum: weights reach 2^lowered
  index query_block = 128, key_tile = 64;
  index scaled_tiles = 2;  ///< in so many last tiles scores are multiplied by the scales of their codes alone first

  bool accumulates_in_f16() const { return unit->keeps == Keeps::f16_nearest; }
};

/// qk_int8_pv_fp16_triton: sageattention/triton/quant_per_block.py, attn_qk_int8_per_block{,_causal}.py.
CodedAlgorithm sage_fp16_triton();
/// qk_int8_pv_fp16_cuda: csrc/qattn/qk_int_sv_f16_cuda_sm80.cu. `accumulator` is fp32, fp16 or fp16+fp32, `granularity`
/// per_thread or per_warp.
CodedAlgorithm sage_fp16_cuda(const std::string& accumulator, const std::string& granularity, index dim);
/// qk_int8_pv_fp8_cuda: csrc/qattn/qk_int_sv_f8_cuda_sm89.cuh. `accumulator` is fp32, fp32+fp32 or fp32+fp16.
CodedAlgorithm sage_fp8_cuda(const std::string& accumulator, const std::string& granularity);
/// qk_int8_pv_fp8_cuda_sm90: csrc/qattn/qk_int_sv_f8_cuda_sm90.cu.
CodedAlgorithm sage_fp8_sm90(const std::string& granularity);

}  // namespace attestone
