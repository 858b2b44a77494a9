// SPDX-License-Identifier: Apache-2.0
// What merging does to an answer, form by form, each by a kernel that errs as much as it may.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

BareRow in_parts(const std::vector<double>& scores, const std::vector<double>& values, MergeForm form) {
  BareRow row(scores, values);
  row.numerics.merge.form = form;
  row.numerics.merge.parts = static_cast<index>(scores.size());
  return row;
}

/// Four parts one after another, each with a larger maximum: the first is rescaled and added to three times.
TEST(MergedAnswerTightness, RescaledSums) {
  BareRow row = in_parts({0, 0.001, 0.002, 0.003}, {1, 0.01, 0.01, 0.01}, MergeForm::rescaled_sums);
  row.numerics.merge.accumulator.roundoff = u;
  long double sum = 1, denominator = 1;
  for (int part = 1; part < 4; ++part) {
    const long double factor = std::exp(-0.001L);
    sum = (sum * factor * (1 + u) + 0.01L) * (1 + u);
    denominator = (denominator * factor * (1 - u) + 1) * (1 - u);
  }
  expect_reached(row, sum / denominator, {0.79, 0.79});
}

TEST(MergedAnswerTightness, PartsAsTheyAreStored) {
  BareRow row = in_parts({0, 0}, {1, 1}, MergeForm::rescaled_sums);
  row.numerics.merge.out.roundoff = u;
  expect_reached(row, 1 + u, {0.99, 0.99});
}

/// lse = max + log1p(1) (1 - eps): all that is multiplied by e^(lse_s - lse) is too large.
TEST(MergedAnswerTightness, LateCorrectionsByAWrongLogarithm) {
  BareRow row = in_parts({0, 0}, {1, 1}, MergeForm::late_correction);
  row.numerics.merge.log_error = u;
  expect_reached(row, std::exp(u * std::log(2.0L)), {0.99, 0.99});
}

/// The first part weighs nothing, lies far away, and is taken back with a sigmoid next to 1.
TEST(MergedAnswerTightness, SigmoidsLeaveALastPlaceBehind) {
  BareRow row = in_parts({-40, 0}, {1, 0}, MergeForm::sigmoid);
  row.numerics.merge.accumulator.roundoff = u;
  const long double sigmoid = (1 - u) * (1 - u) / ((1 + std::exp(-40.0L)) * (1 + u));
  const long double taken = (1 - u) * (sigmoid * (1 - u));
  expect_reached(row, (1 - taken) * (1 + u), {0.34, 0.34});
}

/// Where weights may be wholly wrong, so that only V's range bounds the mean, what sigmoids leave comes on top.
TEST(MergedAnswerTightness, SigmoidsOfWhollyWrongWeights) {
  BareRow row = in_parts({0, 0}, {1, -1}, MergeForm::sigmoid);
  row.numerics.weight.exp_error = 0.9;
  EXPECT_NEAR(bound_of(row), 1, 1e-12);
  row.numerics.merge.accumulator.roundoff = u;
  const double six = 6 * u / (1 - 6 * u), one = u / (1 - u);
  EXPECT_NEAR(bound_of(row), 1 + 2 * six + one, 1e-12);
}

}  // namespace
}  // namespace attestone::emulation
