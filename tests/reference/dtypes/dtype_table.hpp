// SPDX-License-Identifier: Apache-2.0
// A second definition of the small formats: a table of all their numbers, from the published field widths and biases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "reference/dtypes/dtype.hpp"

namespace attestone {

/// The fields as the standards print them: IEEE 754 (f16), Google (bf16), OCP OFP8 (e4m3, e5m2), OCP MX (those without
/// NaN), and arXiv 2206.02915 (those without -0, whose code is NaN).
struct PublishedFormat {
  std::string name;
  int exponent_bits, fraction_bits, bias;
  bool has_infinity, has_nan = true, has_minus_zero = true;

  friend std::ostream& operator<<(std::ostream& out, const PublishedFormat& format) { return out << format.name; }
};

inline const std::vector<PublishedFormat>& published_formats() {
  static const std::vector<PublishedFormat> formats{
      {"f16", 5, 10, 15, true}, {"bf16", 8, 7, 127, true}, {"e4m3", 4, 3, 7, false}, {"e5m2", 5, 2, 15, true}};
  return formats;
}

/// The published formats whose only special code is the code of -0.
inline const std::vector<PublishedFormat>& published_formats_without_minus_zero() {
  static const std::vector<PublishedFormat> formats{{"e4m3fnuz", 4, 3, 8, false, true, false},
                                                    {"e5m2fnuz", 5, 2, 16, false, true, false}};
  return formats;
}

/// The published formats without any special code.
inline const std::vector<PublishedFormat>& published_finite_formats() {
  static const std::vector<PublishedFormat> formats{
      {"e2m1", 2, 1, 1, false, false}, {"e2m3", 2, 3, 1, false, false}, {"e3m2", 3, 2, 3, false, false}};
  return formats;
}

/// All non-negative finite numbers of a format, at the positions of their codes; and the number that would follow the
/// largest if the exponent were unbounded.
class DTypeTable {
 public:
  explicit DTypeTable(const PublishedFormat& format) : format_(format) {
    for (std::uint64_t code = 0; code < first_special(); ++code) numbers_.push_back(number(code));
    beyond_ = number(first_special());
  }

  const std::vector<double>& numbers() const { return numbers_; }
  double beyond() const { return beyond_; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (format_.exponent_bits + format_.fraction_bits); }
  /// The first code that is no number: infinity, e4m3's only NaN, or the sign's.
  std::uint64_t first_special() const {
    if (!format_.has_nan || !format_.has_minus_zero) return sign_bit();
    const std::uint64_t top = (std::uint64_t{1} << format_.exponent_bits) - 1;
    return format_.has_infinity ? top << format_.fraction_bits : sign_bit() - 1;
  }

  /// The code of x (not NaN): the nearest neighbours are looked up, and one is chosen.
  std::uint64_t encode(double x, Rounding rounding, Overflow overflow) const {
    const double size = std::abs(x);
    const std::uint64_t sign = std::signbit(x) ? sign_bit() : 0;
    const auto above = std::upper_bound(numbers_.begin(), numbers_.end(), size);
    const auto lower = static_cast<std::uint64_t>(above - numbers_.begin()) - 1;
    std::uint64_t chosen = size == numbers_[lower] || !goes_up(size, sign != 0, lower, rounding) ? lower : lower + 1;
    if (std::isinf(x)) chosen = first_special();
    if (chosen == first_special() && (overflow == Overflow::saturate || !format_.has_nan)) chosen = lower;
    if (!format_.has_minus_zero && (chosen == 0 || chosen == first_special())) return chosen;
    return sign | chosen;
  }

 private:
  double number(std::uint64_t code) const {
    const auto fraction = static_cast<double>(code % (std::uint64_t{1} << format_.fraction_bits));
    const int exponent = static_cast<int>(code >> format_.fraction_bits);
    if (exponent == 0) return std::ldexp(fraction, 1 - format_.bias - format_.fraction_bits);
    return std::ldexp(1 + std::ldexp(fraction, -format_.fraction_bits), exponent - format_.bias);
  }

  bool goes_up(double size, bool negative, std::uint64_t lower, Rounding rounding) const {
    if (rounding == Rounding::toward_zero) return false;
    if (rounding == Rounding::upward) return !negative;
    if (rounding == Rounding::downward) return negative;
    const double upper = lower + 1 == numbers_.size() ? beyond_ : numbers_[lower + 1];
    const double middle = (numbers_[lower] + upper) / 2;  // exact: a bit more than the format has
    return size == middle ? rounding == Rounding::nearest_away || lower % 2 == 1 : size > middle;
  }

  PublishedFormat format_;
  std::vector<double> numbers_;
  double beyond_;
};

constexpr Rounding all_roundings[] = {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                      Rounding::upward, Rounding::downward};
constexpr Overflow all_overflows[] = {Overflow::standard, Overflow::saturate};

/// Every place where rounding may change its mind: each number and the middle to the next, each with the doubles on
/// both sides; then zeros, infinities and the ends of the double range; all with both signs.
inline std::vector<double> critical_doubles(const DTypeTable& table) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> all{0, infinity, std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::min()};
  const auto add_around = [&](double x) {
    all.insert(all.end(), {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)});
  };
  for (std::size_t i = 0; i < table.numbers().size(); ++i) {
    const double next = i + 1 < table.numbers().size() ? table.numbers()[i + 1] : table.beyond();
    add_around(table.numbers()[i]);
    add_around((table.numbers()[i] + next) / 2);
  }
  add_around(table.beyond());
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
  return all;
}

}  // namespace attestone
