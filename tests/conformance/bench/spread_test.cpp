// SPDX-License-Identifier: Apache-2.0
// Medians, quartiles and slopes of data whose answers are known.
#include "conformance/bench/spread.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "conformance/bench/contender.hpp"

namespace attestone {
namespace {

TEST(Spread, IsThatOfKnownNumbers) {
  const Spread five = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(five.least, 1);
  EXPECT_EQ(five.lower_quartile, 2);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.upper_quartile, 4);
  EXPECT_EQ(five.most, 5);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({7}), 7);
  EXPECT_EQ(spread_of({1, 2}).lower_quartile, 1.25);
}

TEST(Spread, FitsThePowerThatDataGrowsBy) {
  for (const double power : {0.0, 1.0, 1.5, 2.0}) {
    std::vector<std::pair<double, double>> points;
    for (const double tokens : {512.0, 1024.0, 2048.0, 4096.0})
      points.emplace_back(tokens, 3e-9 * std::pow(tokens, power));
    EXPECT_NEAR(fitted_slope(points).value(), power, 1e-12);
  }
  // One point off by a factor lifts the line by its share: the slope of least squares of (0, 0, log 8) over equal
  // steps.
  EXPECT_NEAR(fitted_slope({{1, 1}, {2, 1}, {4, 8}}).value(), 1.5, 1e-12);
  EXPECT_EQ(fitted_slope({{512, 1}, {512, 2}}), std::nullopt);
  EXPECT_EQ(fitted_slope({{512, 1}}), std::nullopt);
  EXPECT_EQ(fitted_slope({}), std::nullopt);
}

TEST(Turn, IsTheMedianOfWarmCalls) {
  int calls = 0;
  const double seconds = turn_of([&] { return ++calls == 1 ? turn_seconds / 2 : turn_seconds / 4; });
  EXPECT_EQ(seconds, turn_seconds / 4) << "the first of several does not count";
  EXPECT_EQ(calls, 5);
  calls = 0;
  EXPECT_EQ(turn_of([&] { return ++calls, 2 * turn_seconds; }), 2 * turn_seconds);
  EXPECT_EQ(calls, 1) << "a call that takes a turn is one";
}

}  // namespace
}  // namespace attestone
