// SPDX-License-Identifier: Apache-2.0
// Windows against their definition: what shares a cell is added up, what does not is combined in quadrature.
#include "reference/error_bound/windows.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace attestone {
namespace {

double sum_of(const std::vector<Rounded>& errors) {
  double sum = 0;
  for (const Rounded& x : errors) sum += x.error;
  return sum;
}

double quadrature_of(const std::vector<Rounded>& errors) {
  double squares = 0;
  for (const Rounded& x : errors) squares += x.error * x.error;
  return lambda * std::sqrt(squares);
}

/// The definition, read off the page: a window begins at the least quantity not yet in one.
double by_definition(std::vector<Rounded> errors, double width) {
  double squares = 0;
  while (!errors.empty()) {
    double least = errors.front().quantity, window = 0;
    for (const Rounded& x : errors) least = std::min(least, x.quantity);
    std::vector<Rounded> rest;
    for (const Rounded& x : errors) {
      if (x.quantity - least <= width)
        window += x.error;
      else
        rest.push_back(x);
    }
    squares += window * window;
    errors = rest;
  }
  return lambda * std::sqrt(squares);
}

std::vector<Rounded> random_errors(std::mt19937_64& generator, std::size_t n, double spread) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Rounded> errors(n);
  for (Rounded& x : errors) x = {spread * unit(generator), unit(generator)};
  return errors;
}

TEST(Windows, FollowTheirDefinition) {
  std::mt19937_64 generator(1);
  for (const std::size_t n : {0, 1, 2, 50, 300})
    for (const double spread : {0.0, 1.0, 30.0, 1e6}) {
      const auto errors = random_errors(generator, n, spread);
      EXPECT_NEAR(windowed_quadrature(errors, 1), by_definition(errors, 1), 1e-9);
    }
}

TEST(Windows, NeverReduceBelowBlindQuadrature) {
  std::mt19937_64 generator(2);
  for (const double spread : {0.0, 1.0, 30.0, 1e6}) {
    const auto errors = random_errors(generator, 200, spread);
    EXPECT_GE(windowed_quadrature(errors, 1), quadrature_of(errors) * (1 - 1e-12));
  }
}

TEST(Windows, AreQuadratureWhereNothingIsNearlyEqual) {
  std::vector<Rounded> apart;
  for (int i = 0; i < 500; ++i) apart.push_back({2.0 * i, 1});
  EXPECT_DOUBLE_EQ(windowed_quadrature(apart, 1), quadrature_of(apart));
}

/// The point of it all: whatever shares one cell of the rounding may err alike, and is bounded by its plain sum.
TEST(Windows, BoundOneCellDeterministically) {
  std::mt19937_64 generator(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto errors = random_errors(generator, 2000, windows_per_cell);
    EXPECT_GE(windowed_quadrature(errors, 1), sum_of(errors));
  }
}

TEST(Windows, TiesAreAddedUp) {
  const std::vector<Rounded> ties(1000, Rounded{0.5, 1});
  EXPECT_DOUBLE_EQ(windowed_quadrature(ties, 1e-9), lambda * 1000);
}

TEST(Windows, UpToEightyOneErrorsNeedNoSorting) {
  std::mt19937_64 generator(4);
  for (const std::size_t n : {1, 40, 81}) {
    const auto errors = random_errors(generator, n, 1e6);
    EXPECT_GE(windowed_quadrature(errors, 1), sum_of(errors));
    EXPECT_EQ(windowed_sum(sum_of(errors), errors, 1), sum_of(errors));
  }
}

TEST(Windows, MoreErrorsCountInQuadratureWhereThatIsLessThanTheirSum) {
  std::vector<Rounded> apart;
  for (int i = 0; i < 500; ++i) apart.push_back({2.0 * i, 1});
  EXPECT_DOUBLE_EQ(windowed_sum(500, apart, 1), lambda * std::sqrt(500));
  const std::vector<Rounded> ties(1000, Rounded{0.5, 1});
  EXPECT_EQ(windowed_sum(1000, ties, 1e-9), 1000);
}

TEST(Windows, NumbersThatErrByNoMoreThanThemselves) {
  std::mt19937_64 generator(5);
  std::lognormal_distribution<double> any;
  for (const std::size_t n : {81, 82, 700})
    for (const double width : {0.0, 1e-3, 0.1}) {
      std::vector<double> numbers;
      std::vector<Rounded> errors;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        numbers.push_back(any(generator));
        errors.push_back({numbers.back(), std::min(numbers.back(), 0.7)});
        sum += errors.back().error;
      }
      EXPECT_EQ(windowed_sum(sum, numbers, 0.7, width), windowed_sum(sum, errors, width)) << n << " of " << width;
    }
}

/// Both ends belong to a window: what is as far away as it is wide, and, where it has no width, what is equal.
TEST(Windows, ReachAsFarAsTheyAreWide) {
  EXPECT_DOUBLE_EQ(windowed_quadrature({{0, 3}, {1, 4}}, 1), lambda * 7);
  EXPECT_DOUBLE_EQ(windowed_quadrature({{0, 3}, {1.25, 4}}, 1), lambda * 5);
  EXPECT_DOUBLE_EQ(windowed_quadrature({{2, 3}, {2, 4}}, 0), lambda * 7);
}

}  // namespace
}  // namespace attestone
