// SPDX-License-Identifier: Apache-2.0
// A number format: which bits mean which real number, and how a real number becomes bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace attestone {

/// Which of the two neighbouring numbers of the format stands for a real number between them. In the middle between
/// both `nearest_even` takes that of the even code, `nearest_away` that of the larger size, as roundf() of C does and
/// the INT8 codes that SageAttention's Triton kernels make by adding half of the sign.
enum class Rounding { nearest_even, nearest_away, toward_zero, upward, downward };

/// The result for a number that rounds beyond the largest finite one.
///
///   standard   what the format's own standard says. IEEE 754 formats: infinity, or the largest finite number where the
///              rounding points back to it. Formats that have NaN alone, as e4m3: NaN, and again the largest
///              finite number where the rounding points back to it (OCP OFP8, non-saturating conversion). Formats
///              without any special code: the largest finite number (OCP MX).
///   saturate   the largest finite number (OCP OFP8, saturating conversion; also for an infinite input).
enum class Overflow { standard, saturate };

/// The constants of a format. Its finite numbers are the real ones of at most `precision` bits that are multiples of
/// 2^(min_exponent - precision + 1) and not too large.
struct FormatFacts {
  int bits;                    ///< of a code: 1 to 64
  int precision;               ///< bits of the significand, the hidden one included
  int min_exponent;            ///< 2^min_exponent is the smallest normal number
  std::uint64_t largest_code;  ///< the code of the largest finite number
  bool has_infinity = false, has_nan = false;
};

/// The codes of one format; its kinds are the files beside this one.
class NumberFormat {
 public:
  explicit NumberFormat(const FormatFacts& facts) : facts_(facts) {}
  NumberFormat(const NumberFormat&) = delete;
  NumberFormat& operator=(const NumberFormat&) = delete;
  virtual ~NumberFormat() = default;

  const FormatFacts& facts() const { return facts_; }
  /// The number a code stands for; exact, as every format fits into a double. Bits above facts().bits are 0.
  virtual double decode(std::uint64_t code) const = 0;
  /// The code for x, rounded once and directly from the double.
  virtual std::uint64_t encode(double x, Rounding, Overflow) const = 0;
  /// The codes of as many numbers, to nearest even and as the standard has it.
  virtual void encode_row(std::span<const double> row, std::span<std::uint64_t> codes) const {
    for (std::size_t i = 0; i < row.size(); ++i) codes[i] = encode(row[i], Rounding::nearest_even, Overflow::standard);
  }

 private:
  FormatFacts facts_;
};

/// True if a number beyond the largest finite one becomes that one, whatever else the format has for it.
inline bool overflows_to_largest(bool negative, Rounding rounding, Overflow overflow) {
  if (overflow == Overflow::saturate || rounding == Rounding::toward_zero) return true;
  return rounding == (negative ? Rounding::upward : Rounding::downward);
}

}  // namespace attestone
