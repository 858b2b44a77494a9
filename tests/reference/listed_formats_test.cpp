// SPDX-License-Identifier: Apache-2.0
// Formats that are no floating point, integers and powers of two, against a list of all their numbers.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>

#include "tests/reference/dtypes/dtype_table.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One number of a format.
struct Listed {
  double number;
  std::uint64_t code;
};

/// A second definition: every number, ascending, and the codes of what is none.
struct ListedFormat {
  std::string name;
  std::vector<Listed> numbers;
  std::uint64_t nan_code;                   ///< what NaN becomes
  std::optional<std::uint64_t> overflow{};  ///< what stands beyond the largest, if not that
  std::optional<std::uint64_t> negative{};  ///< what negative numbers become, if not the lowest number

  friend std::ostream& operator<<(std::ostream& out, const ListedFormat& format) { return out << format.name; }

  /// By the neighbours in the list; ties go to the even code, or away from 0.
  std::uint64_t encode(double x, Rounding rounding, Overflow at_overflow) const {
    if (negative && x < 0) return *negative;
    const auto above = std::find_if(numbers.begin(), numbers.end(), [&](const Listed& l) { return l.number > x; });
    if (above == numbers.begin()) return above->code;
    const Listed& lower = above[-1];
    if (lower.number == x) return lower.code;
    const double upper = above == numbers.end() ? beyond() : above->number, middle = (lower.number + upper) / 2;
    const bool up = std::isinf(x) || goes_up(x, lower, middle, rounding);
    if (!up) return lower.code;
    if (above != numbers.end()) return above->code;
    return overflow && at_overflow == Overflow::standard ? *overflow : lower.code;
  }

  /// The number that would follow the largest one.
  double beyond() const { return overflow ? 2 * numbers.back().number : numbers.back().number + 1; }

 private:
  static bool goes_up(double x, const Listed& lower, double middle, Rounding rounding) {
    if (rounding == Rounding::nearest_even) return x > middle || (x == middle && lower.code % 2 == 1);
    if (rounding == Rounding::nearest_away) return x > middle || (x == middle && x > 0);
    if (rounding == Rounding::toward_zero) return x < 0;
    return rounding == Rounding::upward;
  }
};

ListedFormat integers(std::string name, int lowest, int largest, std::uint64_t codes) {
  ListedFormat format{std::move(name), {}, 0};
  for (int number = lowest; number <= largest; ++number)
    format.numbers.push_back({double(number), number < 0 ? codes - static_cast<std::uint64_t>(-number)
                                                         : static_cast<std::uint64_t>(number)});
  return format;
}

ListedFormat powers_of_two() {
  ListedFormat format{"e8m0", {}, 255, 255, 255};
  for (int code = 0; code < 255; ++code)
    format.numbers.push_back({std::ldexp(1.0, code - 127), static_cast<std::uint64_t>(code)});
  return format;
}

const std::vector<ListedFormat>& formats() {
  static const std::vector<ListedFormat> all{integers("int4", -8, 7, 16), integers("int8", -128, 127, 256),
                                             integers("uint8", 0, 255, 256), powers_of_two()};
  return all;
}

class Listing : public testing::TestWithParam<ListedFormat> {
 protected:
  const DType& type = dtype(GetParam().name);

  void expect_agreement(double x) const {
    for (const Rounding rounding : all_roundings)
      for (const Overflow overflow : all_overflows)
        ASSERT_EQ(type.encode(x, rounding, overflow), GetParam().encode(x, rounding, overflow))
            << std::hexfloat << x << " rounding " << static_cast<int>(rounding) << " overflow "
            << static_cast<int>(overflow);
  }
};

TEST_P(Listing, DecodesEveryCode) {
  for (const auto& [number, code] : GetParam().numbers) EXPECT_EQ(type.decode(code), number) << code;
  EXPECT_EQ(std::isnan(type.decode(GetParam().nan_code)), GetParam().overflow.has_value());
}

TEST_P(Listing, EveryCodeSurvives) {
  for (std::uint64_t code = 0; code < std::uint64_t{1} << type.storage_bits(); ++code)
    EXPECT_EQ(type.encode(type.decode(code)), code);
}

TEST_P(Listing, RoundsAtEveryCriticalPlace) {
  const std::vector<Listed>& numbers = GetParam().numbers;
  std::vector<double> places{0, -0.0, -1, 1e300, -1e300, infinity, -infinity, 1e-300, -1e-300};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double next = i + 1 < numbers.size() ? numbers[i + 1].number : GetParam().beyond();
    places.insert(places.end(), {numbers[i].number, (numbers[i].number + next) / 2, next});
  }
  for (const double x : places)
    for (const double near : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)}) expect_agreement(near);
}

TEST_P(Listing, NamesItsConstants) {
  EXPECT_EQ(type.encode(std::nan("")), GetParam().nan_code);
  EXPECT_EQ(type.largest(), GetParam().numbers.back().number);
  EXPECT_EQ(type.largest_code(), GetParam().numbers.back().code);
  EXPECT_EQ(type.smallest_subnormal(), type.has_nan() ? 0x1p-127 : 1);
  EXPECT_EQ(type.underflow(), type.smallest_subnormal() / 2);
  EXPECT_EQ(type.has_nan(), GetParam().overflow.has_value());
  EXPECT_FALSE(type.has_infinity());
  EXPECT_TRUE(type.needs_scales);
}

INSTANTIATE_TEST_SUITE_P(DType, Listing, testing::ValuesIn(formats()), by_parameter);

}  // namespace
}  // namespace attestone
