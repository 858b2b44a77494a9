// SPDX-License-Identifier: Apache-2.0
// Kinds of numbers against numbers: what IEEE arithmetic makes of members is a member.
#include "reference/certified/numbers/possible.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace attestone {
namespace {

const std::vector<double>& numbers() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static const std::vector<double> all{
      0.0, -0.0, 1e-200, 1.0, 3.5, -1e-200, -1.0, -3.5, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  return all;
}

TEST(Possible, OperationsHoldEveryAnswer) {
  for (const double a : numbers())
    for (const double b : numbers()) {
      const Possible x = Possible::of(a), y = Possible::of(b);
      EXPECT_TRUE((x + y).includes(Possible::of(a + b))) << a << " + " << b;
      EXPECT_TRUE((x - y).includes(Possible::of(a - b))) << a << " - " << b;
      EXPECT_TRUE((x * y).includes(Possible::of(a * b))) << a << " * " << b;
      EXPECT_TRUE((-x).includes(Possible::of(-a))) << a;
    }
}

/// Nothing is in an answer that no members make.
TEST(Possible, OperationsHoldNothingElse) {
  const auto made_by = [](auto operation, Possible x, Possible y) {
    Possible all;
    for (const double a : numbers())
      for (const double b : numbers())
        if (Possible::of(a) == x && Possible::of(b) == y) all |= Possible::of(operation(a, b));
    return all;
  };
  for (const double a : numbers())
    for (const double b : numbers()) {
      const Possible x = Possible::of(a), y = Possible::of(b);
      EXPECT_EQ(x + y, made_by([](double p, double q) { return p + q; }, x, y)) << a << " + " << b;
      EXPECT_EQ(x * y, made_by([](double p, double q) { return p * q; }, x, y)) << a << " * " << b;
    }
}

TEST(Possible, SetsAnswerWithAllTheirMembersDo) {
  const Possible some = Possible::zero | Possible::infinite;
  EXPECT_EQ(some * Possible::positive, Possible::zero | Possible::infinite);
  EXPECT_EQ(some * Possible::zero, Possible::zero | Possible::nan);
  EXPECT_EQ(some - some, Possible::zero | Possible::infinite | Possible::minus_infinite | Possible::nan);
  EXPECT_TRUE((Possible::anything * Possible::nan).is_certainly_nan());
}

}  // namespace
}  // namespace attestone
