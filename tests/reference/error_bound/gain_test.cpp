// SPDX-License-Identifier: Apache-2.0
// The gain and its bound.
#include "reference/error_bound/gain.hpp"

#include <gtest/gtest.h>
#include <random>

namespace attestone {
namespace {

TEST(Gain, IsTheShareOfTheTruth) {
  Gain gain;
  const std::vector<double> truth{3, -4}, half{1.5, -2}, bound{0.1, 0.2};
  gain.add(truth, half, bound, 0);
  EXPECT_DOUBLE_EQ(gain.gain(), 0.5);
  EXPECT_DOUBLE_EQ(gain.bound(), (0.1 * 3 + 0.2 * 4) / 25);
}

TEST(Gain, IndependentRowsAddInQuadratureEqualOnesLinearly) {
  const std::vector<double> truth{1}, bound{0.1};
  Gain independent, equal;
  for (std::size_t row = 0; row < 100; ++row) {
    independent.add(truth, truth, bound, row);
    equal.add(truth, truth, bound, 0);
  }
  EXPECT_NEAR(independent.bound(), 0.01, 1e-12);
  EXPECT_NEAR(equal.bound(), 0.1, 1e-12);
}

/// What it is for: an answer that is too small by less than every element's bound.
TEST(Gain, SeesAHalvedAnswerThatEveryElementAllows) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> z;
  Gain halved, right;
  for (std::size_t row = 0; row < 64; ++row) {
    std::vector<double> truth(8), half, bound;
    for (double& x : truth) x = z(generator);
    for (const double x : truth) {
      half.push_back(x / 2);
      bound.push_back(0.6 * std::abs(x));
    }
    halved.add(truth, half, bound, row);
    right.add(truth, truth, bound, row);
  }
  EXPECT_GT(std::abs(halved.gain() - 1), halved.bound());
  EXPECT_LE(std::abs(right.gain() - 1), right.bound());
}

}  // namespace
}  // namespace attestone
