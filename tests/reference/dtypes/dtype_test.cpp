// SPDX-License-Identifier: Apache-2.0
// Every code of every format survives decoding, and encoding agrees with a table of all numbers.
#include "reference/dtypes/dtype.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "reference/registry.hpp"
#include "tests/effort.hpp"
#include "tests/reference/dtypes/dtype_table.hpp"
#include "tests/reference/random_doubles.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

class SmallFormat : public testing::TestWithParam<PublishedFormat> {
 protected:
  const DType& type = dtype(GetParam().name);
  const DTypeTable table{GetParam()};

  void expect_agreement(double x) const {
    for (const Rounding rounding : all_roundings)
      for (const Overflow overflow : all_overflows)
        ASSERT_EQ(type.encode(x, rounding, overflow), table.encode(x, rounding, overflow))
            << std::hexfloat << x << " rounding " << static_cast<int>(rounding) << " overflow "
            << static_cast<int>(overflow);
  }
};

TEST_P(SmallFormat, DecodesEveryCode) {
  for (std::uint64_t code = 0; code < table.numbers().size(); ++code) {
    ASSERT_EQ(type.decode(code), table.numbers()[code]) << code;
    if (code == 0 && !GetParam().has_minus_zero) continue;
    ASSERT_EQ(type.decode(code | table.sign_bit()), -table.numbers()[code]) << code;
    ASSERT_TRUE(std::signbit(type.decode(code | table.sign_bit()))) << code;
  }
  for (std::uint64_t code = table.first_special(); code < table.sign_bit(); ++code) {
    const bool infinite = GetParam().has_infinity && code == table.first_special();
    ASSERT_EQ(std::isinf(type.decode(code)), infinite) << code;
    ASSERT_EQ(std::isnan(type.decode(code)), !infinite) << code;
  }
  EXPECT_EQ(std::isnan(type.decode(table.sign_bit())), !GetParam().has_minus_zero);
}

TEST_P(SmallFormat, EveryCodeSurvives) {
  for (std::uint64_t code = 0; code < 2 * table.sign_bit(); ++code)
    for (const Rounding rounding : all_roundings) ASSERT_EQ(type.encode(type.decode(code), rounding), code) << code;
}

TEST_P(SmallFormat, RoundsAtEveryCriticalPlace) {
  for (const double x : critical_doubles(table)) expect_agreement(x);
}

TEST_P(SmallFormat, RoundsRandomDoubles) {
  RandomDoubles random(type);
  for (index i = 0; i < effort(100'000, 10'000'000) && !HasFatalFailure(); ++i) expect_agreement(random.next());
}

TEST_P(SmallFormat, NamesItsConstants) {
  EXPECT_EQ(type.has_infinity(), GetParam().has_infinity);
  EXPECT_EQ(type.has_nan(), GetParam().has_nan);
  EXPECT_EQ(type.needs_scales, !GetParam().has_nan);
  const std::vector<double>& numbers = table.numbers();
  const auto first_normal = std::size_t{1} << GetParam().fraction_bits;
  EXPECT_EQ(type.largest(), numbers.back());
  EXPECT_EQ(type.largest_code(), numbers.size() - 1);
  EXPECT_EQ(type.smallest_subnormal(), numbers[1]);
  EXPECT_EQ(type.underflow(), numbers[1] / 2);
  EXPECT_EQ(type.smallest_normal(), numbers[first_normal]);
  EXPECT_EQ(type.unit_roundoff(), (numbers[first_normal + 1] / numbers[first_normal] - 1) / 2);
  EXPECT_EQ(type.storage_bits(), std::bit_width(table.sign_bit()));
  EXPECT_EQ(type.bytes(8), type.storage_bits());
}

TEST_P(SmallFormat, ANaNKeepsItsSignAndNeverBecomesInfinite) {
  if (!type.has_nan()) {
    EXPECT_EQ(type.encode(std::nan("")), table.numbers().size() - 1);
    return;
  }
  constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000, sign = std::uint64_t{1} << 63;
  for (std::uint64_t bit = 1; bit < (exponent & -exponent); bit *= 2)
    for (const std::uint64_t bits : {exponent | bit, sign | exponent | bit}) {
      const std::uint64_t code = type.encode(std::bit_cast<double>(bits), Rounding::nearest_even, Overflow::saturate);
      ASSERT_TRUE(std::isnan(type.decode(code))) << bits;
      ASSERT_EQ((code & table.sign_bit()) != 0, (bits & sign) != 0 || !GetParam().has_minus_zero) << bits;
    }
}

INSTANTIATE_TEST_SUITE_P(DType, SmallFormat, testing::ValuesIn(published_formats()), by_parameter);

INSTANTIATE_TEST_SUITE_P(DTypeWithoutMinusZero, SmallFormat, testing::ValuesIn(published_formats_without_minus_zero()),
                         by_parameter);

INSTANTIATE_TEST_SUITE_P(FiniteDType, SmallFormat, testing::ValuesIn(published_finite_formats()), by_parameter);

TEST(DType, EveryRegisteredFormatIsTested) {  // those that are not here in listed_formats_test.cpp
  EXPECT_EQ(Registry<DType>::names(),
            (std::vector<std::string>{"bf16", "e2m1", "e2m3", "e3m2", "e4m3", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0",
                                      "f16", "f32", "f64", "int4", "int8", "uint8"}));
}

TEST(DType, RowsAreEncodedAsTheirNumbers) {
  for (const auto& [name, format] : Registry<DType>::all()) {
    RandomDoubles random(format);
    std::vector<double> row(static_cast<std::size_t>(effort(1 << 12, 1 << 20)));
    for (double& x : row) x = random.next();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double x : {0.0, -0.0, infinity, -infinity, std::nan(""), format.largest(), 2 * format.largest(),
                           format.smallest_normal(), format.smallest_subnormal() / 2})
      row.push_back(x);
    std::vector<std::uint64_t> codes(row.size());
    format.encode_row(row, codes);
    for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(codes[i], format.encode(row[i])) << name << " " << row[i];
  }
}

TEST(DType, E2M1IsWhatItsStandardLists) {
  const double listed[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint64_t code = 0; code < 8; ++code) {
    EXPECT_EQ(dtype("e2m1").decode(code), listed[code]);
    EXPECT_EQ(dtype("e2m1").decode(code | 8), -listed[code]);
  }
}

}  // namespace
}  // namespace attestone
