// SPDX-License-Identifier: Apache-2.0
// Decoding and encoding integers.
#include "reference/number_formats/integer.hpp"

#include <cmath>

#include "reference/number_formats/rounded.hpp"

namespace attestone {
namespace {

using Bits = std::uint64_t;

class IntegerFormat final : public NumberFormat {
 public:
  explicit IntegerFormat(const Integer& i)
      : NumberFormat({.bits = i.bits,
                      .precision = i.bits,
                      .min_exponent = i.bits - 1,
                      .largest_code = (Bits{1} << (i.has_sign ? i.bits - 1 : i.bits)) - 1}),
        lowest_size_(i.has_sign ? Bits{1} << (i.bits - 1) : 0) {}

  double decode(Bits code) const override {
    const auto value = static_cast<double>(code);
    return code > facts().largest_code ? value - static_cast<double>(codes()) : value;
  }

  Bits encode(double x, Rounding rounding, Overflow) const override {
    if (std::isnan(x)) return 0;
    const bool negative = std::signbit(x);
    const Bits most = negative ? lowest_size_ : facts().largest_code;
    Bits size = most;
    if (std::fabs(x) < static_cast<double>(codes())) {
      const Bits steps = rounded(x, facts().precision, facts().min_exponent, rounding).steps;
      size = steps < most ? steps : most;
    }
    return negative ? (codes() - size) & (codes() - 1) : size;
  }

 private:
  Bits codes() const { return Bits{1} << facts().bits; }

  Bits lowest_size_;  ///< of the lowest number, without its sign
};

}  // namespace

std::shared_ptr<const NumberFormat> integer(const Integer& format) {
  return std::make_shared<const IntegerFormat>(format);
}

}  // namespace attestone
