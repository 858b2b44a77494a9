// SPDX-License-Identifier: Apache-2.0
// The sum of a few numbers as matrix units make it: all brought to the largest exponent, what hangs over is cut off.
#pragma once

#include <span>

namespace attestone {

/// A number and the exponent at which it stands in the unit. A product stands at the sum of its factors' exponents and
/// is not normalised: its size is below 4 * 2^exponent.
struct Term {
  double value;
  int exponent;
};

/// The exponent at which a number of a format stands: floor(log2 |x|), but not below the least of the format's normal
/// numbers; that of 0 is -126 in every format, where zeros count.
int exponent_of(double x, int least);

/// A multiple of 2^(exponent - fraction_bits).
struct AlignedSum {
  double value;
  int exponent;  ///< the largest of the terms'
};

/// Each term is cut off, toward zero, at 2^(E - fraction_bits), where E is the largest exponent; then all are added
/// exactly; 0 if there are none. Terms are finite; fraction bits are at most 35.
///
/// P. Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores" (arXiv 2511.10909).
AlignedSum aligned_sum(std::span<const Term> terms, int fraction_bits);

/// A multiple of 2^(exponent - fraction_bits) that is at most x.
double floor_at(double x, int exponent, int fraction_bits);

/// x, cut off toward zero to so many fraction bits as a number of f32, whose subnormals keep fewer; infinite from 2^128
/// on.
double cut_as_f32(double x, int fraction_bits);

}  // namespace attestone
