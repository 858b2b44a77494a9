// SPDX-License-Identifier: Apache-2.0
// f32 and f64 against the processor's own conversions, in each of its rounding modes.
#include <bit>
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/dtypes/dtype.hpp"
#include "reference/require.hpp"
#include "tests/effort.hpp"
#include "tests/reference/random_doubles.hpp"

namespace attestone {
namespace {

int processor_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return FE_TOWARDZERO;
    case Rounding::upward:
      return FE_UPWARD;
    case Rounding::downward:
      return FE_DOWNWARD;
    case Rounding::nearest_even:
      return FE_TONEAREST;
    case Rounding::nearest_away:
      break;
  }
  require(false, "processors do not round ties away");
  return -1;
}

/// The processor's conversion; volatile keeps the compiler from doing it at another time, in another mode.
std::uint32_t converted(double x, Rounding rounding) {
  volatile double from = x;
  std::fesetround(processor_mode(rounding));
  volatile float to = static_cast<float>(from);
  std::fesetround(FE_TONEAREST);
  return std::bit_cast<std::uint32_t>(float(to));
}

void expect_agreement(double x) {
  for (const Rounding rounding :
       {Rounding::nearest_even, Rounding::toward_zero, Rounding::upward, Rounding::downward}) {
    const std::uint32_t expected = converted(x, rounding);
    ASSERT_EQ(dtype("f32").encode(x, rounding), expected) << std::hexfloat << x;
    const bool overflowed = std::isinf(std::bit_cast<float>(expected));
    const std::uint32_t saturated = overflowed ? expected - 1 : expected;  // one below infinity: the largest
    ASSERT_EQ(dtype("f32").encode(x, rounding, Overflow::saturate), saturated) << std::hexfloat << x;
  }
}

TEST(DTypeHardware, RoundsToF32) {
  RandomDoubles random(dtype("f32"));
  for (index i = 0; i < effort(100'000, 10'000'000) && !testing::Test::HasFatalFailure(); ++i)
    expect_agreement(random.next());
}

TEST(DTypeHardware, RoundsToF32AtTheEdges) {
  using Float = std::numeric_limits<float>;
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = Float::max(), last_place = std::ldexp(1.0, 104), least = Float::denorm_min();
  for (const double middle : {0.0, least / 2, least, 1.5 * least, double{Float::min()}, Float::min() - least / 2,
                              largest, largest + last_place / 2, largest + last_place, infinity,
                              std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()})
    for (const double x : {std::nextafter(middle, -infinity), middle, std::nextafter(middle, infinity)})
      for (const double signed_x : {x, -x}) expect_agreement(signed_x);
}

TEST(DTypeHardware, EveryF32CodeSurvives) {
  const DType& f32 = dtype("f32");
  constexpr std::uint64_t codes = std::uint64_t{1} << 32;
  const auto step = static_cast<std::uint64_t>(effort(1009, 1));  // a prime: every bit pattern of the low bits occurs
  for (std::uint64_t code = 0; code < codes; code += step) {
    const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(code));
    ASSERT_TRUE(std::isnan(number) || f32.decode(code) == double{number}) << code;
    ASSERT_EQ(f32.encode(f32.decode(code)), code);
  }
}

TEST(DTypeHardware, F64IsTheDoubleItself) {
  const DType& f64 = dtype("f64");
  std::mt19937_64 random(1);
  for (index i = 0; i < effort(100'000, 10'000'000); ++i) {
    const std::uint64_t code = random();
    ASSERT_EQ(std::bit_cast<std::uint64_t>(f64.decode(code)), code);
    ASSERT_EQ(f64.encode(std::bit_cast<double>(code)), code);
  }
}

}  // namespace
}  // namespace attestone
