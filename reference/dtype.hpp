// SPDX-License-Identifier: Apache-2.0
// Number formats: which bits mean which real number, and how a real number becomes bits.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/draws.hpp"

namespace attestone {

/// Which of the two neighbouring numbers of the format stands for a real number between them.
enum class Rounding { nearest_even, toward_zero, upward, downward };

/// What stands for a number that rounds beyond the largest finite one.
///
///   standard   what the format's own standard says. IEEE 754 formats: infinity, or the largest finite number where the
///              rounding points back to it. e4m3 (fn), which has no infinity: NaN, and again the largest finite number
///              where the rounding points back to it (OCP OFP8, non-saturating conversion).
///   saturate   the largest finite number (OCP OFP8, saturating conversion; also for an infinite input).
enum class Overflow { standard, saturate };

/// A binary floating-point format of at most 64 bits: sign, exponent field, trailing significand.
///
/// Subnormals are always gradual. NaN payloads and signs are kept as far as they fit. -0 is kept.
struct DType {
  std::string_view name;
  std::string_view summary;
  int storage_bits;
  int precision;         ///< bits of the significand, the hidden one included
  int min_exponent;      ///< 2^min_exponent is the smallest normal number
  bool has_infinity;     ///< false (e4m3 fn): the top binade holds numbers, and only its last code is NaN
  Drawing drawing = {};  ///< how random problems draw it for their inputs

  /// The number a code stands for; exact, as every supported format fits into a double.
  double decode(std::uint64_t code) const;

  /// The code for x, rounded once and directly from the double.
  std::uint64_t encode(double x, Rounding = Rounding::nearest_even, Overflow = Overflow::standard) const;

  /// The number of the format that stands for x.
  double round(double x, Rounding rounding = Rounding::nearest_even, Overflow overflow = Overflow::standard) const {
    return decode(encode(x, rounding, overflow));
  }

  int bytes() const { return storage_bits / 8; }
  double unit_roundoff() const;  ///< u: |round(x) - x| <= u |x| in the normal range, to nearest
  double underflow() const;      ///< eta: |round(x) - x| <= eta below it: half the smallest subnormal
  double smallest_normal() const;
  double smallest_subnormal() const;
  double largest() const;  ///< the largest finite number
  std::uint64_t largest_code() const;

  bool operator==(const DType& other) const { return name == other.name; }
};

/// The registered format of that name; UserError with a suggestion if there is none.
const DType& dtype(std::string_view name);

}  // namespace attestone
