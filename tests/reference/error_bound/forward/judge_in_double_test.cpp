// SPDX-License-Identifier: Apache-2.0
// The bound covers what it may itself get wrong in double; and where it ends: ranges, and sums that are not one number.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

/// V that cancels in double, but not really: an answer that is rounded once errs by u |o| of the true o.
TEST(JudgeInDouble, AnswersThatCancel) {
  for (int i = 0; i < 200; ++i) {
    const double x = 1 + i * 0x1p-8;
    BareRow row({0, -1}, {x, -x * std::exp(1.0)});
    row.numerics.output.cast.roundoff = 0x1p-8;
    EXPECT_LE(0x1p-8L * std::abs(exact_answer(row)), bound_of(row)) << x;
  }
}

/// A cast at its worst reaches its bound but for the last places of the bound itself.
TEST(JudgeInDouble, SumsOfItsOwn) {
  for (int i = 0; i < 200; ++i) {
    BareRow row({-0.01 * i, -1, -0.3 * i}, {1, 2, 3});
    row.numerics.weight.cast.roundoff = 0x1p-20;
    EXPECT_LE(0x1p-20L * exact_answer(row), bound_of(row)) << i;
  }
}

TEST(JudgeInDouble, AnswersThatLeaveTheirRange) {
  BareRow row({0}, {1});
  row.numerics.output.cast.roundoff = 0.125;
  row.numerics.output.cast.largest = 1.25;
  EXPECT_TRUE(std::isfinite(bound_of(row)));
  row.numerics.output.cast.largest = 1.0625;
  EXPECT_TRUE(std::isinf(bound_of(row)));
}

TEST(JudgeInDouble, DenominatorsThatLeaveTheirRange) {
  BareRow row({0, 0, 0, 0}, {0, 0, 0, 0});
  row.numerics.weight.accumulator.largest = 5;
  EXPECT_TRUE(std::isfinite(bound_of(row)));
  row.numerics.weight.accumulator.largest = 3;
  EXPECT_TRUE(std::isinf(bound_of(row)));
}

TEST(JudgeInDouble, ValuesThatLeaveTheirRangeWhereverTheyStand) {
  for (const std::vector<double>& values : {std::vector<double>{100, 1, 1}, {1, 100, 1}, {1, 1, -100}}) {
    BareRow row({0, 0, 0}, values);
    row.numerics.value.accumulator.largest = 110;
    EXPECT_TRUE(std::isfinite(bound_of(row)));
    row.numerics.value.accumulator.largest = 90;
    EXPECT_TRUE(std::isinf(bound_of(row)));
  }
}

/// A scaled query below the normal range errs in every channel, and meets all of a key.
TEST(JudgeInDouble, QueriesBelowTheNormalRangeMeetAllOfAKey) {
  constexpr double underflow = 0x1p-12;
  const Problem problem = parse_problem("shape=1x1x1x2x3:1 dtype=f64");
  Inputs inputs(problem);
  for (index c = 0; c < 3; ++c) {
    inputs.query.view().set(0, 0, 0, c, c == 0 ? -2 : 1);
    for (index j = 0; j < 2; ++j) inputs.key.view().set(0, 0, j, c, j == 0 ? 1 : -1);
  }
  for (index j = 0; j < 2; ++j) inputs.value.view().set(0, 0, j, 0, j == 0 ? 1 : -1);
  Numerics numerics = faultless();
  numerics.score.prescale.underflow = underflow;
  const ForwardBound bounds(problem, inputs, numerics);
  const double bound = bounds.row(0, 0, 0)->out(0);
  const double answer = std::tanh(3 * underflow);  // of scores 3 eta and -3 eta, where 0 is right
  EXPECT_LE(answer, bound);
  EXPECT_GE(answer, 0.99 * bound);
}

}  // namespace
}  // namespace attestone::emulation
