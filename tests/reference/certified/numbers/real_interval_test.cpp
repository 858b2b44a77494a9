// SPDX-License-Identifier: Apache-2.0
// Intervals hold what MPFR finds with far more bits, and are hardly wider than their roundings.
#include "reference/certified/numbers/real_interval.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tests/reference/certified/numbers/real.hpp"

namespace attestone {
namespace {

constexpr mpfr_prec_t precision = 60;

struct Both {
  RealInterval interval;
  Real real;
};

Both both(double x) { return {RealInterval(precision, x), Real(x)}; }

void expect_held(const Both& x, double condition, const char* operation) {
  EXPECT_LE(mpfr_cmp(x.interval.ends().lowest, x.real.mpfr()), 0) << operation;
  EXPECT_GE(mpfr_cmp(x.interval.ends().highest, x.real.mpfr()), 0) << operation;
  const double width =
      mpfr_get_d(x.interval.ends().highest, MPFR_RNDN) - mpfr_get_d(x.interval.ends().lowest, MPFR_RNDN);
  EXPECT_LE(width, 0x1p-50 * condition) << operation;
}

TEST(RealInterval, HoldsTheExactResult) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 2000; ++round) {
    const double a = normal(random), b = normal(random), c = normal(random);
    // Products of two ends are intervals of positive width, of any sign.
    const Both x{both(a).interval * both(b).interval, Real(a) * Real(b)},
        y{both(b).interval * both(c).interval, Real(b) * Real(c)};
    const double size = 1 + std::fabs(a * b) + std::fabs(b * c);
    expect_held({x.interval + y.interval, x.real + y.real}, size, "+");
    expect_held({x.interval - y.interval, x.real - y.real}, size, "-");
    expect_held({x.interval * y.interval, x.real * y.real}, size * size, "*");
    expect_held({exp(x.interval), exp(x.real)}, std::exp(a * b) * size, "exp");
    expect_held({tanh(x.interval), tanh(x.real)}, size, "tanh");
    const RealInterval divisor = exp(y.interval);
    expect_held({x.interval / divisor, x.real / exp(y.real)}, size * std::exp(-b * c) * size, "/");
    expect_held({magnitude(x.interval), a * b < 0 ? Real(0) - x.real : x.real}, size, "magnitude");
    const RealInterval around_zero = x.interval - x.interval;
    EXPECT_EQ(mpfr_sgn(magnitude(around_zero).ends().lowest), 0);
    expect_held({around_zero * y.interval, Real(0)}, size * size, "0 *");
    expect_held({around_zero / divisor, Real(0)}, size * std::exp(-b * c), "0 /");
  }
}

}  // namespace
}  // namespace attestone
