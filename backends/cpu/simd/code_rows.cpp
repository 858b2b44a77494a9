// SPDX-License-Identifier: Apache-2.0
// Plain loops that compilers turn into vectors of each target.
#include "backends/cpu/simd/code_rows.hpp"

#include "backends/cpu/simd/codes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/code_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

void decode_f32_row_on_target(const std::uint32_t* HWY_RESTRICT codes, index count, float* HWY_RESTRICT numbers) {
  for (index i = 0; i < count; ++i) numbers[i] = decode_f32(codes[i]);
}

void decode_bf16_row_on_target(const std::uint16_t* HWY_RESTRICT codes, index count, float* HWY_RESTRICT numbers) {
  for (index i = 0; i < count; ++i) numbers[i] = decode_bf16(codes[i]);
}

void decode_f16_row_on_target(const std::uint16_t* HWY_RESTRICT codes, index count, float* HWY_RESTRICT numbers) {
  for (index i = 0; i < count; ++i) numbers[i] = decode_f16(codes[i]);
}

void encode_f32_row_on_target(const float* HWY_RESTRICT numbers, double factor, index count,
                              std::uint32_t* HWY_RESTRICT codes) {
  for (index i = 0; i < count; ++i) codes[i] = encode_f32(factor * double{numbers[i]});
}

void encode_bf16_row_on_target(const float* HWY_RESTRICT numbers, double factor, index count,
                               std::uint16_t* HWY_RESTRICT codes) {
  if (factor == 1)
    for (index i = 0; i < count; ++i) codes[i] = encode_bf16_of(numbers[i]);
  else
    for (index i = 0; i < count; ++i) codes[i] = encode_bf16(factor * double{numbers[i]});
}

void encode_f16_row_on_target(const float* HWY_RESTRICT numbers, double factor, index count,
                              std::uint16_t* HWY_RESTRICT codes) {
  for (index i = 0; i < count; ++i) codes[i] = encode_f16(factor * double{numbers[i]});
}

void round_row_to_bf16_on_target(float* numbers, index count) {
  for (index i = 0; i < count; ++i) numbers[i] = rounded_to_bf16(numbers[i]);
}

void round_row_to_f16_on_target(float* numbers, index count) {
  for (index i = 0; i < count; ++i) numbers[i] = rounded_to_f16(numbers[i]);
}

void round_weights_to_f16_on_target(float* weights, index count) {
  for (index i = 0; i < count; ++i) weights[i] = weight_rounded_to_f16(weights[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(decode_f32_row_on_target);
HWY_EXPORT(decode_bf16_row_on_target);
HWY_EXPORT(decode_f16_row_on_target);
HWY_EXPORT(encode_f32_row_on_target);
HWY_EXPORT(encode_bf16_row_on_target);
HWY_EXPORT(encode_f16_row_on_target);
HWY_EXPORT(round_row_to_bf16_on_target);
HWY_EXPORT(round_row_to_f16_on_target);
HWY_EXPORT(round_weights_to_f16_on_target);

void decode_f32_row(const std::uint32_t* codes, index count, float* numbers) {
  HWY_DYNAMIC_DISPATCH(decode_f32_row_on_target)(codes, count, numbers);
}

void decode_bf16_row(const std::uint16_t* codes, index count, float* numbers) {
  HWY_DYNAMIC_DISPATCH(decode_bf16_row_on_target)(codes, count, numbers);
}

void decode_f16_row(const std::uint16_t* codes, index count, float* numbers) {
  HWY_DYNAMIC_DISPATCH(decode_f16_row_on_target)(codes, count, numbers);
}

void encode_f32_row(const float* numbers, double factor, index count, std::uint32_t* codes) {
  HWY_DYNAMIC_DISPATCH(encode_f32_row_on_target)(numbers, factor, count, codes);
}

void encode_bf16_row(const float* numbers, double factor, index count, std::uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(encode_bf16_row_on_target)(numbers, factor, count, codes);
}

void encode_f16_row(const float* numbers, double factor, index count, std::uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(encode_f16_row_on_target)(numbers, factor, count, codes);
}

void round_row_to_bf16(float* numbers, index count) {
  HWY_DYNAMIC_DISPATCH(round_row_to_bf16_on_target)(numbers, count);
}

void round_row_to_f16(float* numbers, index count) { HWY_DYNAMIC_DISPATCH(round_row_to_f16_on_target)(numbers, count); }

void round_weights_to_f16(float* weights, index count) {
  HWY_DYNAMIC_DISPATCH(round_weights_to_f16_on_target)(weights, count);
}

}  // namespace attestone::inline backends
#endif
