// SPDX-License-Identifier: Apache-2.0
// The proven errors of exp, tanh and log, in double and double-double, are not exceeded: densely, against MPFR.
#include "reference/certified/numbers/elementary.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "reference/certified/forward/double_double_tile.hpp"
#include "reference/certified/numbers/mpfr.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
constexpr mpfr_prec_t bits = 300;

/// |high + low - f(x_high + x_low)| / |f|
double relative_error(MpfrFunction f, double x_high, double x_low, double high, double low) {
  mpfr_t exact, difference;
  mpfr_inits2(bits, exact, difference, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(exact, x_high, MPFR_RNDN);
  mpfr_add_d(exact, exact, x_low, MPFR_RNDN);
  f(exact, exact, MPFR_RNDN);
  mpfr_sub_d(difference, exact, high, MPFR_RNDN);
  mpfr_sub_d(difference, difference, low, MPFR_RNDN);
  double error = 0;
  if (!mpfr_zero_p(difference)) {
    mpfr_div(difference, difference, exact, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  }
  mpfr_clears(exact, difference, static_cast<mpfr_ptr>(nullptr));
  return error;
}

/// Arguments on a dense grid around 0 and the edges of range reduction, and at random up to `limit`.
std::vector<double> arguments(double limit, index count) {
  std::vector<double> all;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double half_ln2 = std::log(2.0) / 2;
  for (index i = 0; i < count; ++i) {
    const double r = uniform(random);
    all.push_back(half_ln2 * r);
    all.push_back(limit * r);
    all.push_back(half_ln2 * (2 * std::floor(10 * r) + 1) * (1 + 1e-9 * uniform(random)));
    all.push_back(std::ldexp(r, -static_cast<int>(random() % 1000)));
  }
  return all;
}

double worst_error(MpfrFunction exact, void (*computed)(std::span<const double>, std::span<double>), double limit) {
  const std::vector<double> x = arguments(limit, effort(5'000, 500'000));
  std::vector<double> y(x.size());
  computed(x, y);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::fmax(worst, relative_error(exact, x[i], 0, y[i], 0));
  return worst;
}

TEST(Elementary, ExpKeepsItsProvenError) {
  const double worst = worst_error(mpfr_exp, exp_certified, 690);
  fmt::print("exp:  worst {:.3f} u of {:.0f} u\n", worst / unit_double, exp_error / unit_double);
  EXPECT_LE(worst, exp_error);
  EXPECT_GE(worst, unit_double / 2) << "the arguments are too easy";
}

TEST(Elementary, TanhKeepsItsProvenError) {
  const double worst = worst_error(mpfr_tanh, tanh_certified, 40);
  fmt::print("tanh: worst {:.3f} u of {:.0f} u\n", worst / unit_double, tanh_error / unit_double);
  EXPECT_LE(worst, tanh_error);
  EXPECT_GE(worst, unit_double / 2) << "the arguments are too easy";
}

TEST(Elementary, LogKeepsItsProvenError) {
  std::vector<double> x(static_cast<std::size_t>(effort(20'000, 2'000'000)));
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = std::ldexp(static_cast<double>(random() >> 11), -53);
    x[i] = i % 2 ? 0.5 + 2 * r : std::ldexp(1 + r, static_cast<int>(random() % 2000) - 1000);
  }
  std::vector<double> y(x.size());
  log_certified(x, y);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::fmax(worst, relative_error(mpfr_log, x[i], 0, y[i], 0));
  fmt::print("log:  worst {:.3f} u of {:.0f} u\n", worst / unit_double, log_error / unit_double);
  EXPECT_LE(worst, log_error);
}

double worst_wide_error(MpfrFunction exact, void (*computed)(WideLanes&), double limit) {
  const std::vector<double> x = arguments(limit, effort(5'000, 500'000));
  double worst = 0;
  for (std::size_t i = 0; i + wide_lanes <= x.size(); i += wide_lanes) {
    WideLanes lanes;
    for (std::size_t l = 0; l < wide_lanes; ++l) {
      lanes.high[l] = x[i + l];
      lanes.low[l] = std::fabs(x[i + l]) > 1e-200 ? x[i + l] * 0x1p-54 : 0;
    }
    const WideLanes before = lanes;
    computed(lanes);
    for (std::size_t l = 0; l < wide_lanes; ++l)
      if (std::fabs(x[i + l]) == 0 || std::fabs(x[i + l]) > 1e-200)  // below, the low parts are subnormal
        worst = std::fmax(worst, relative_error(exact, before.high[l], before.low[l], lanes.high[l], lanes.low[l]));
  }
  return worst;
}

TEST(Elementary, DoubleDoubleExpKeepsItsProvenError) {
  const double worst = worst_wide_error(mpfr_exp, exp_wide, 600);
  fmt::print("double-double exp:  worst 2^{:.1f} of 2^{:.0f}\n", std::log2(worst), std::log2(wide_exp_error));
  EXPECT_LE(worst, wide_exp_error);
  EXPECT_GE(worst, 0x1p-110) << "the arguments are too easy";
}

TEST(Elementary, DoubleDoubleTanhKeepsItsProvenError) {
  const double worst = worst_wide_error(mpfr_tanh, tanh_wide, 60);
  fmt::print("double-double tanh: worst 2^{:.1f} of 2^{:.0f}\n", std::log2(worst), std::log2(wide_tanh_error));
  EXPECT_LE(worst, wide_tanh_error);
}

TEST(Elementary, EdgesOfRange) {
  const std::vector<double> z{0.0, -0.0, 1e300, -1e300, 5e-324, HUGE_VAL};
  std::vector<double> t(z.size());
  tanh_certified(z, t);
  EXPECT_EQ(t, (std::vector<double>{0, 0, 1, -1, 5e-324, 1}));
  std::vector<double> e(2);
  exp_certified(std::vector<double>{0.0, -900.0}, e);
  EXPECT_EQ(e, (std::vector<double>{1, 0}));
  std::vector<double> l(1);
  log_certified(std::vector<double>{1.0}, l);
  EXPECT_EQ(l, std::vector<double>{0});
}

}  // namespace
}  // namespace attestone
