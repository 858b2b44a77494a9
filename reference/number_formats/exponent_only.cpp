// SPDX-License-Identifier: Apache-2.0
// Decoding and encoding powers of two.
#include "reference/number_formats/exponent_only.hpp"

#include <cmath>
#include <limits>

#include "reference/number_formats/rounded.hpp"

namespace attestone {
namespace {

using Bits = std::uint64_t;

class ExponentOnlyFormat final : public NumberFormat {
 public:
  explicit ExponentOnlyFormat(const ExponentOnly& e)
      : NumberFormat({.bits = e.bits,
                      .precision = 1,
                      .min_exponent = e.min_exponent,
                      .largest_code = (Bits{1} << e.bits) - 2,
                      .has_nan = true}) {}

  double decode(Bits code) const override {
    if (code == nan_code()) return std::numeric_limits<double>::quiet_NaN();
    return power_of_two(static_cast<int>(code) + facts().min_exponent);
  }

  Bits encode(double x, Rounding rounding, Overflow overflow) const override {
    if (std::isnan(x) || x < 0) return nan_code();
    if (std::isinf(x)) return overflow == Overflow::saturate ? facts().largest_code : nan_code();
    if (x <= decode(0)) return 0;
    const int exponent = std::ilogb(x);
    const auto lower = static_cast<Bits>(exponent - facts().min_exponent);
    const Bits code = lower + goes_up(x / power_of_two(exponent), lower, rounding);
    if (code <= facts().largest_code) return code;
    return overflows_to_largest(false, rounding, overflow) ? facts().largest_code : nan_code();
  }

 private:
  Bits nan_code() const { return facts().largest_code + 1; }

  /// `significand` is at least 1 and below 2.
  static bool goes_up(double significand, Bits lower, Rounding rounding) {
    if (significand == 1) return false;
    switch (rounding) {
      case Rounding::nearest_even:
        return significand > 1.5 || (significand == 1.5 && lower % 2 == 1);
      case Rounding::nearest_away:
        return significand >= 1.5;
      case Rounding::upward:
        return true;
      case Rounding::toward_zero:
      case Rounding::downward:
        break;
    }
    return false;
  }
};

}  // namespace

std::shared_ptr<const NumberFormat> exponent_only(const ExponentOnly& format) {
  return std::make_shared<const ExponentOnlyFormat>(format);
}

}  // namespace attestone
