// SPDX-License-Identifier: Apache-2.0
// Rows of neighbouring codes decoded, rounded and encoded at once.
#pragma once

#include <cstdint>

#include "reference/shape.hpp"

namespace attestone::inline backends {

void decode_f32_row(const std::uint32_t* codes, index count, float* numbers);
void decode_bf16_row(const std::uint16_t* codes, index count, float* numbers);
void decode_f16_row(const std::uint16_t* codes, index count, float* numbers);

/// codes = factor * numbers, rounded once.
void encode_f32_row(const float* numbers, double factor, index count, std::uint32_t* codes);
void encode_bf16_row(const float* numbers, double factor, index count, std::uint16_t* codes);
void encode_f16_row(const float* numbers, double factor, index count, std::uint16_t* codes);

/// In place, to the nearest, ties to even; weights are from [0, 1].
void round_row_to_bf16(float* numbers, index count);
void round_row_to_f16(float* numbers, index count);
void round_weights_to_f16(float* weights, index count);

}  // namespace attestone::inline backends
