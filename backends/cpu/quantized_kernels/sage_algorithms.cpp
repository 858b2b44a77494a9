// SPDX-License-Identifier: Apache-2.0
// The steps of each released kernel, next to its source.
#include "backends/cpu/quantized_kernels/sage_algorithms.hpp"

namespace attestone::inline backends {
namespace {

/// S_FP8_OFFSET of csrc/qattn/attn_utils.cuh: 2^8.807 is just below 448, the largest number of e4m3.
constexpr float up_to_448 = 8.807f;

/// quant_per_thread.py, or QuantInt8Kernel of csrc/fused/fused.cu, for warps of so many rows.
void code_scores(CodedAlgorithm& algorithm, const std::string& granularity, index query_warp, index key_warp) {
  if (granularity == "per_thread") {
    algorithm.query_codes = {CodeRule::int8_thread, ScaleSharing::query_thread, query_warp, Centring::none};
    algorithm.key_codes = {CodeRule::int8_thread, ScaleSharing::key_thread, key_warp, Centring::rounded};
  } else {
    algorithm.query_codes = {CodeRule::int8_cuda, ScaleSharing::rows, query_warp, Centring::none};
    algorithm.key_codes = {CodeRule::int8_cuda, ScaleSharing::rows, key_warp, Centring::in_f32};
  }
}

OperandCodes by_channel(CodeRule rule) { return {rule, ScaleSharing::channel, 1, Centring::none}; }

}  // namespace

CodedAlgorithm sage_fp16_triton() {
  return {.query_codes = {CodeRule::int8_block, ScaleSharing::rows, 128},
          .key_codes = {CodeRule::int8_block, ScaleSharing::rows, 64, Centring::rounded},
          .value_codes = {},
          .unit = &matrix_unit("ampere.f16.f16"),
          .scaled_before_codes = true,
          .divides = true};
}

CodedAlgorithm sage_varlen() {
  CodedAlgorithm algorithm = sage_fp16_triton();
  algorithm.key_codes.mean_of_batch = true;
  algorithm.packs_sequences = true;
  return algorithm;
}

CodedAlgorithm sage_fp16_cuda(const std::string& accumulator, const std::string& granularity, index dim) {
  const bool whole_in_f32 = accumulator == "fp32", by_tile = accumulator == "fp16+fp32";
  CodedAlgorithm algorithm{.query_codes = {},
                           .key_codes = {},
                           .value_codes = {},
                           .unit = &matrix_unit(whole_in_f32 ? "ampere.f16.f32" : "ampere.f16.f16"),
                           .sums = by_tile ? TileSums::apart : TileSums::onto_out,
                           .denominator = &matrix_unit("ampere.f16.f32"),
                           .scaled_tiles = 2};
  code_scores(algorithm, granularity, by_tile && dim > 64 ? 16 : 32, 64);
  return algorithm;
}

CodedAlgorithm sage_fp8_cuda(const std::string& accumulator, const std::string& granularity) {
  const bool in_f16 = accumulator == "fp32+fp16";
  CodedAlgorithm algorithm{.query_codes = {},
                           .key_codes = {},
                           .value_codes = by_channel(in_f16 ? CodeRule::e4m3_small : CodeRule::e4m3),
                           .unit = &matrix_unit(in_f16 ? "ada.e4m3.f16" : "ada.e4m3.f32"),
                           .sums = accumulator == "fp32" ? TileSums::onto_out : TileSums::apart,
                           .lowered = up_to_448,
                           .scaled_tiles = 2};
  code_scores(algorithm, granularity, 32, 64);
  return algorithm;
}

CodedAlgorithm sage_fp8_sm90(const std::string& granularity) {
  CodedAlgorithm algorithm{.query_codes = {},
                           .key_codes = {},
                           .value_codes = by_channel(CodeRule::e4m3),
                           .unit = &matrix_unit("hopper.e4m3.f32"),
                           .lowered = up_to_448,
                           .query_block = 64,
                           .key_tile = 128,
                           .scaled_tiles = 1};
  code_scores(algorithm, granularity, 16, 128);
  return algorithm;
}

CodedAlgorithm with_smooth_values(CodedAlgorithm algorithm) {
  if (algorithm.multiplies_f16()) {
    algorithm.value_codes = {CodeRule::f16, ScaleSharing::channel, 1, Centring::rounded};
  } else {
    algorithm.value_codes.centring = Centring::whole_in_f32;
    algorithm.value_codes.mean_padding = 16;
  }
  return algorithm;
}

CodedAlgorithm sage2_int4() {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp32", "per_thread");
  algorithm.query_codes.rule = algorithm.key_codes.rule = CodeRule::int4_thread;
  algorithm.query_codes.centring = Centring::rounded;
  algorithm.query_codes.mean_rows = algorithm.query_block;
  algorithm.scaled_tiles = 0;
  return algorithm;
}

}  // namespace attestone::inline backends
