// SPDX-License-Identifier: Apache-2.0
// m + ln l: each rounding of it alone, and all of them, against docs/tolerance.md.
#include "reference/error_bound/forward/put_together.hpp"

#include <gtest/gtest.h>

namespace attestone {
namespace {

double several(double n, double u) { return n * u / (1 - n * u); }

/// With a roundoff and an error of the logarithm.
double error(double u, double log_error, const LogSumExpSizes& size, double sum) {
  OutputStage output;
  output.accumulator.roundoff = u;
  output.log_error = log_error;
  return put_together(output, size, sum);
}

TEST(PutTogether, EveryErrorCountsAlone) {
  constexpr double u = 0x1p-20;
  EXPECT_EQ(error(0, 0, {3, 5, 7}, 0), 0);
  EXPECT_EQ(error(0, 0, {3, 5, 7}, 0.5), 0.5);
  EXPECT_EQ(error(0, 0x1p-10, {3, 5, 7}, 0), 5 * 0x1p-10);
  EXPECT_NEAR(error(u, 0, {1, 0, 0}, 0) / (several(5, u) * (1 + several(3, u))), 1, 1e-14);
  EXPECT_NEAR(error(u, 0, {0, 1, 0}, 0) / (several(2, u) * (1 + several(3, u))), 1, 1e-14);
  EXPECT_NEAR(error(u, 0, {0, 0, 1}, 0) / several(3, u), 1, 1e-14);
}

TEST(PutTogether, AndTogether) {
  constexpr double u = 0x1p-8, log_error = 0x1p-6;
  const double logarithm = several(2, u) * (1 + log_error) + log_error;
  const double before = 0.25 + several(5, u) * 3 + logarithm * 5;
  EXPECT_NEAR(error(u, log_error, {3, 5, 7}, 0.25) / (before + several(3, u) * (7 + before)), 1, 1e-14);
}

}  // namespace
}  // namespace attestone
