// SPDX-License-Identifier: Apache-2.0
// Decoding and encoding by the fields of the code.
#include "reference/number_formats/floating.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "reference/number_formats/rounded.hpp"

namespace attestone {
namespace {

using Bits = std::uint64_t;

// binary64 seen as bits.
constexpr int double_trailing = 52, double_bias = 1023;
constexpr Bits double_top_exponent = Bits{2047} << double_trailing, double_sign = Bits{1} << 63;

class FloatingFormat final : public NumberFormat {
 public:
  explicit FloatingFormat(const Floating& f)
      : NumberFormat({f.bits, f.precision, f.min_exponent, first_special(f) - 1, f.top == Top::infinity_and_nan,
                      f.top != Top::numbers}),
        trailing_(f.precision - 1),
        sign_(Bits{1} << (f.bits - 1)),
        first_special_(first_special(f)),
        has_minus_zero_(f.top != Top::nan_for_minus_zero) {}

  double decode(Bits code) const override {
    if (code == sign_ && !has_minus_zero_) return std::numeric_limits<double>::quiet_NaN();
    const Bits magnitude = code & (sign_ - 1);
    const Bits sign = (code & sign_) ? double_sign : 0;
    const Bits fraction = magnitude & ((Bits{1} << trailing_) - 1);
    if (magnitude >= first_special_) {
      const bool infinite = facts().has_infinity && magnitude == first_special_;
      const Bits payload = infinite ? 0 : fraction << (double_trailing - trailing_);
      return std::bit_cast<double>(sign | double_top_exponent | payload);
    }
    const auto exponent_field = static_cast<std::int64_t>(magnitude >> trailing_);
    if (exponent_field == 0) {
      const double value = static_cast<double>(fraction) * power_of_two(facts().min_exponent - trailing_);
      return sign ? -value : value;
    }
    const auto field = static_cast<Bits>(exponent_field - 1 + facts().min_exponent + double_bias);
    return std::bit_cast<double>(sign | field << double_trailing | fraction << (double_trailing - trailing_));
  }

  Bits encode(double x, Rounding rounding, Overflow overflow) const override {
    if (rounding == Rounding::nearest_even)
      if (const Bits code = encode_easily(x); code != no_code) return code;
    const bool negative = std::signbit(x);
    const Bits sign = negative ? sign_ : 0;
    if (std::isnan(x)) return sign | nan_code(x);
    const bool has_beyond = facts().has_nan && overflow == Overflow::standard;  // infinity, or the only NaN
    if (std::isinf(x)) return sign | (has_beyond ? first_special_ : facts().largest_code);
    const Magnitude size = rounded(x, facts().precision, facts().min_exponent, rounding);
    // Adding, rather than merging, lets a carry out of the significand raise the exponent by itself.
    const Bits code = (static_cast<Bits>(size.binade - facts().min_exponent) << trailing_) + size.steps;
    if (code == 0 && !has_minus_zero_) return 0;
    if (code < first_special_) return sign | code;
    const bool largest = !has_beyond || overflows_to_largest(negative, rounding, overflow);
    return sign | (largest ? facts().largest_code : first_special_);
  }

  void encode_row(std::span<const double> row, std::span<Bits> codes) const override {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Bits code = encode_easily(row[i]);
      codes[i] = code != no_code ? code : encode(row[i], Rounding::nearest_even, Overflow::standard);
    }
  }

 private:
  /// The first magnitude that is no number: infinity, the only NaN, or what no code can hold.
  static Bits first_special(const Floating& f) {
    const Bits sign = Bits{1} << (f.bits - 1);
    if (f.top == Top::numbers || f.top == Top::nan_for_minus_zero) return sign;
    return f.top == Top::one_nan ? sign - 1 : sign - (Bits{1} << (f.precision - 1));
  }

  /// A NaN of the format with as much of the double's payload as fits; never an infinity.
  Bits nan_code(double nan) const {
    if (!facts().has_nan) return facts().largest_code;
    if (!facts().has_infinity) return first_special_;
    const Bits payload = std::bit_cast<Bits>(nan) & ((Bits{1} << double_trailing) - 1);
    const Bits kept = payload >> (double_trailing - trailing_);
    const Bits quiet = Bits{1} << (trailing_ - 1);
    return first_special_ | (kept ? kept : quiet);
  }

  /// To nearest, for +0 and for what is normal in both formats and stays a number: one addition whose carry does the
  /// rounding.
  Bits encode_easily(double x) const {
    const Bits bits = std::bit_cast<Bits>(x), magnitude = bits & ~double_sign;
    if (bits == 0) return 0;
    const Bits least = static_cast<Bits>(facts().min_exponent + double_bias) << double_trailing;
    if (facts().min_exponent + double_bias < 1 || magnitude < least || magnitude >= double_top_exponent) return no_code;
    const int dropped = double_trailing - trailing_;
    if (dropped < 1) return no_code;
    const Bits odd = magnitude >> dropped & 1, below_half = (Bits{1} << (dropped - 1)) - 1;
    const Bits code = ((magnitude + below_half + odd) >> dropped) - (least >> dropped) + (Bits{1} << trailing_);
    return code < first_special_ ? code | (bits & double_sign ? sign_ : 0) : no_code;
  }

  static constexpr Bits no_code = ~Bits{0};
  int trailing_;        ///< bits of the significand that the code holds
  Bits sign_;           ///< the bit of the sign
  Bits first_special_;  ///< magnitudes from here on are no numbers
  bool has_minus_zero_;
};

}  // namespace

std::shared_ptr<const NumberFormat> floating(const Floating& format) {
  return std::make_shared<const FloatingFormat>(format);
}

}  // namespace attestone
