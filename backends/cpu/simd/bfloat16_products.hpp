// SPDX-License-Identifier: Apache-2.0
// Products of bf16 that are added up in f32, two at a time, as instructions of x86 do it.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// In which order an instruction adds up products. Both read subnormal operands as zero and flush what is subnormal,
/// round to nearest, and are emulated, bit by bit, where the machine lacks them.
enum class PairProducts {
  dots,   ///< vdpbf16ps: one chain of multiply-adds, the second of a pair first
  tiles,  ///< tdpbf16ps: of 32 products the even and the odd ones are two chains, added to each other, then to the sum
};

/// Rows of bf16 at equal distances.
struct Bfloat16Rows {
  const std::uint16_t* data;
  index stride;

  const std::uint16_t* operator[](index row) const { return data + row * stride; }
  Bfloat16Rows from(index row) const { return {data + row * stride, stride}; }
};

/// A matrix of bf16 of which two neighbours along the summed axis lie side by side.
struct PairedCodes {
  const std::uint16_t* data;
  index row_step, pair_step;  ///< from a row to the next one, and from a pair: one of them is 2

  const std::uint16_t* operator[](index row) const { return data + row * row_step; }
  PairedCodes from(index row) const { return {data + row * row_step, row_step, pair_step}; }
};

/// A tile takes 32 products of each element at a time. What is shorter is filled with zeros.
constexpr index products_together = 32;
constexpr index padded_products(index products) {
  return (products + products_together - 1) / products_together * products_together;
}

/// out[rows][32] = left[rows][products] pairs[products / 2][32], or `+=`. A pair holds two neighbours of a column of a
/// panel, the first in its lower half. `products` is even; of tiles it is a multiple of 32, and pairs of a
/// row follow each other.
///
/// A chain of dots starts at zero and is added once; a chain of tiles goes on from the number to which it is added.
void set_pair_products(PairProducts, PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                       float* out);
void add_pair_products(PairProducts, PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                       float* out);

/// True if the processor has the instruction and the system lets this process use it.
bool has_instruction(PairProducts);

/// The faster one of those that are there and outrun products of floats, if any does.
std::optional<PairProducts> best_pair_products();

}  // namespace attestone::inline backends
