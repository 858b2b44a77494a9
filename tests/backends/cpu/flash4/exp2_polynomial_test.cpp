// SPDX-License-Identifier: Apache-2.0
// The polynomial against 2^x, for every fraction that a float below -1/2 may have.
#include "backends/cpu/flash4/exp2_polynomial.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace attestone {
namespace {

TEST(Exp2Polynomial, ErrsByWhatIsDeclared) {
  double worst = 0;
  for (int n = 0; n < 1 << 23; ++n) {
    const float x = -1 + std::ldexp(static_cast<float>(n), -24);
    worst = std::max(worst, std::fabs(double{exp2_polynomial(x)} / std::exp2(double{x}) - 1));
  }
  EXPECT_LE(worst, exp2_polynomial_error);
  EXPECT_GE(worst, 0.95 * exp2_polynomial_error);
  for (float x = -126; x <= 127; x += 0x1.3p-6f)
    ASSERT_LE(std::fabs(double{exp2_polynomial(x)} / std::exp2(double{x}) - 1), exp2_polynomial_error) << x;
}

TEST(Exp2Polynomial, LosesAtMostTheSmallestNormalNumberBelow) {
  for (float x = -126; x > -300; x -= 0x1.7p-5f)
    ASSERT_LE(std::fabs(double{exp2_polynomial(x)} - std::exp2(double{x})), exp2_polynomial_underflow) << x;
  EXPECT_EQ(exp2_polynomial(-std::numeric_limits<float>::infinity()), 0);
}

TEST(Exp2Polynomial, IsExactOfWholeNumbers) {
  for (int n = -126; n <= 127; ++n) EXPECT_EQ(exp2_polynomial(static_cast<float>(n)), std::ldexp(1.0f, n));
  EXPECT_TRUE(std::isnan(exp2_polynomial(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace attestone
