// SPDX-License-Identifier: Apache-2.0
// How matrices lie for products of bf16: panels in pairs of rows, and rows transposed.
#pragma once

#include "backends/cpu/simd/bfloat16_products.hpp"

namespace attestone::inline backends {

/// pairs[padded_products(rows) / 2][32]: rows 2k and 2k + 1 of panel[rows][32], rounded to the nearest bf16, ties to
/// even, the first in the lower half. What is subnormal becomes 0, as the products would read it. Rows that are not
/// there are 0.
void panel_to_pairs(const float* panel, index rows, std::uint32_t* pairs);

/// to[channels][stride] = rows[count][channels], transposed; zeros up to the stride.
void transpose_codes(Bfloat16Rows rows, index count, index channels, std::uint16_t* to, index stride);

/// to[(count + 1) / 2][channels][2]: rows 2k and 2k + 1 of rows[count][channels], shuffled like cards; with zeros, if
/// the last one is alone.
void shuffle_codes(Bfloat16Rows rows, index count, index channels, std::uint16_t* to);

/// Codes without their sign: from this one on they are infinite or NaN.
constexpr std::uint16_t magnitude_bits = 0x7FFF, infinite_code = 0x7F80;

/// The largest magnitude of so many codes.
std::uint16_t largest_magnitude(const std::uint16_t* codes, index count);

/// S[keys][32] = factor * the products of rows and pairs; largest[32] = max(largest, columns of S), where NaN is passed
/// over.
void score_pairs(PairProducts, Bfloat16Rows K, index keys, const std::uint32_t* pairs, index products, float factor,
                 float* S, float* largest);

}  // namespace attestone::inline backends
