// SPDX-License-Identifier: Apache-2.0
// The declared errors of the float functions, against double: every float at night, a sample by day.
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "backends/cpu/parts/exp2.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

/// The worst relative error over the floats from `least` to `largest`, both positive, times `sign`.
template <class Function, class Exact>
double worst_error(float least, float largest, float sign, Function function, Exact exact) {
  const auto step = static_cast<std::uint32_t>(effort(61, 1));  // a prime: every pattern of low bits occurs
  double worst = 0;
  for (auto bits = std::bit_cast<std::uint32_t>(least); bits <= std::bit_cast<std::uint32_t>(largest); bits += step) {
    const float x = sign * std::bit_cast<float>(bits);
    const double right = exact(double{x}), error = std::abs(double{function(x)} - right) / std::abs(right);
    if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return worst;
}

// Below 2^-30, e^x, 2^x and tanh(x) / x differ from 1 by less than the declared errors.
constexpr float tiny = 0x1p-30f;

TEST(FloatFunctions, Exp2ErrsAsDeclared) {
  const auto exact = [](double x) { return std::exp2(x); };
  EXPECT_LE(worst_error(tiny, -exp2_smallest_exponent, -1, exp2_of_nonpositive, exact), exp2_relative_error);
}

TEST(FloatFunctions, Exp2IsExactAtTheEnds) {
  EXPECT_EQ(exp2_of_nonpositive(0), 1);
  EXPECT_EQ(exp2_of_nonpositive(-1), 0.5f);
  EXPECT_EQ(exp2_of_nonpositive(-126), 0x1p-126f);
  EXPECT_EQ(exp2_of_nonpositive(std::nextafter(-126.0f, -200.0f)), 0);
  EXPECT_EQ(exp2_of_nonpositive(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_TRUE(std::isnan(exp2_of_nonpositive(std::numeric_limits<float>::quiet_NaN())));
}

TEST(FloatFunctions, TheLibrarysExpErrsAsDeclared) {
  constexpr float normal = 87;  // e^-87 is still a normal float
  const auto function = [](float x) { return std::exp(x); };
  EXPECT_LE(worst_error(tiny, normal, -1, function, [](double x) { return std::exp(x); }), float_exp_error);
}

TEST(FloatFunctions, TheLibrarysTanhErrsAsDeclared) {
  constexpr float saturated = 32;
  const auto function = [](float x) { return std::tanh(x); };
  EXPECT_LE(worst_error(tiny, saturated, 1, function, [](double x) { return std::tanh(x); }), float_tanh_error);
}

}  // namespace
}  // namespace attestone
