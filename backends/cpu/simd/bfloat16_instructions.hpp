// SPDX-License-Identifier: Apache-2.0
// The ways in which products of bf16 are computed: two instructions, and what does the same without them.
#pragma once

#include "backends/cpu/simd/bfloat16_products.hpp"

namespace attestone::inline backends {

/// Where sums begin: at zero, or with the numbers in `out`.
enum class SumsBegin { at_zero, with_out };

using MultiplyPairs = void(PairedCodes left, index rows, const std::uint32_t* pairs, index products, SumsBegin,
                           float* out);
/// By vdpbf16ps and by tdpbf16ps: the machine must have them.
MultiplyPairs multiply_by_dots, multiply_by_tiles;
/// The twins of the instructions: the same bits from multiply-adds of floats.
MultiplyPairs multiply_as_dots, multiply_as_tiles;

/// panel_to_pairs of an even number of rows, by the instruction that rounds two vectors at once: a machine with dots
/// has it. And its twin, of any number.
void pair_rows_by_instruction(const float* panel, index rows, std::uint32_t* pairs);
void pair_rows(const float* panel, index rows, std::uint32_t* pairs);

/// True if this machine and its system have the instructions.
bool machine_has_dots();
bool machine_has_tiles();

/// True if the processor does as many of these dot products per cycle as multiply-adds of floats; half as many gains
/// nothing: processors of Intel have one unit for them, those of AMD two.
bool dots_outrun_floats();

}  // namespace attestone::inline backends
