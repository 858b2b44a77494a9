// SPDX-License-Identifier: Apache-2.0
// Matrix units by generation: what D = A B + C is to the last bit in tensor cores and matrix cores.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dtypes/dtype.hpp"

namespace attestone {

/// How a unit adds up the products of one group and what it has so far.
enum class GroupSum {
  fused,  ///< all terms but zeros aligned and cut off together (NVIDIA); products have the scales of the group (MX)
  by_sixteen,  ///< sixteen products become one term, exactly, and take their scales (FP4)
  floored,     ///< products aligned and cut off, then both sides of the last addition floored (AMD)
  halves       ///< the same, products of even and of odd places apart (AMD's FP8)
};

/// The format in which a unit keeps a sum.
enum class Keeps {
  f32_cut,     ///< f32, cut off toward zero
  f32_13_cut,  ///< f32 of which 13 fraction bits are kept, cut off toward zero: the "FP22" of Ada's and Hopper's FP8
  f32_nearest,
  f16_nearest
};

/// One kind of instruction of one generation. A deeper product is made group by group, each of which begins with what
/// the one before has kept.
///
/// Generations, groups and fraction bits: P. Xie et al., "MMA-Sim" (arXiv 2511.10909), who compared them with ten
/// devices; the 13 bits are those that SageAttention2 (arXiv 2411.10958), section 3.4, found. Hopper's were compared
/// with an H200 (docs/matrix_units.md): zeros have no exponent there, where MMA-Sim has -126.
struct MatrixUnit {
  std::string_view name;     ///< "hopper.e4m3.f32": generation, operands, accumulator
  std::string_view operand;  ///< the format of A and B; tf32 is f32 of which the last 13 bits are cut off
  int group;                 ///< so many products and the accumulator make one sum
  int fraction_bits;         ///< that are left beside the largest exponent
  GroupSum sum = GroupSum::fused;
  Keeps keeps = Keeps::f32_cut;
  std::string_view scale = {};  ///< the format of scales
  int scale_block = 0;          ///< products that share a pair of them

  /// The format of C and D.
  const DType& accumulator() const;
  /// The value of an operand's code to the unit.
  double operand_of(std::uint64_t code) const;
  /// The value of a scale's code; e4m3 has no sign there.
  double scale_of(std::uint64_t code) const;

  /// sum a_i b_i + c, of numbers of the formats; the scales of `a` and `b`, if it takes some, one for each block.
  /// Lengths are multiples of the group. NaN has every bit of its significand set, and no sign.
  double dot(std::span<const double> a, std::span<const double> b, double c, std::span<const double> scales_a = {},
             std::span<const double> scales_b = {}) const;
};

/// All of them, by name.
const std::vector<MatrixUnit>& matrix_units();

/// UserError with a suggestion if there is none of that name.
const MatrixUnit& matrix_unit(const std::string& name);

}  // namespace attestone
