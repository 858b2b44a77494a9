// SPDX-License-Identifier: Apache-2.0
// Weights that err, each source alone and at its worst: they move the mean, and what it is divided by.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

/// A leader whose value is 0, and two keys behind it whose errors conspire: o = 0, and all that moves is seen.
BareRow pulled_apart() { return {{0, -0.01, -0.01}, {0, 1, -1}}; }
const std::vector<double> apart{0, 1, -1};

TEST(AnswerTightness, ExponentialsMoveTheMean) {
  BareRow row = pulled_apart();
  row.numerics.weight.exp_error = 0x1p-8;
  expect_reached(row, {.exponentials = apart}, {0.97, 0.97});
}

/// p_0 is nearly 1 and too small, p_1 too large: what they are divided by is less than all weights.
TEST(AnswerTightness, WeightsThatAreLost) {
  BareRow row({0, 0.001, -6, -6}, {0, 0, 1, 1});
  row.numerics.weight.exp_error = 0.125;
  expect_reached(row, {.exponentials = {-1, 0, 1, 1}}, {0.5, 0.5});
}

TEST(AnswerTightness, WhollyWrongWeightsStillAverageV) {
  std::vector<double> scores(21, -0.01), values(21, 1);
  for (std::size_t j = 0; j < 10; ++j) values[j] = -1;
  scores[20] = values[20] = 0;
  BareRow row(scores, values);
  row.numerics.weight.exp_error = 0.9;
  expect_reached(row, {.exponentials = values}, {0.85, 0});
}

TEST(AnswerTightness, CastsThatTheDenominatorShares) {
  BareRow row = pulled_apart();
  row.numerics.weight.cast.roundoff = u;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = apart}, {0.99, 0.99});
}

/// The first weight is nearly all, and is cast to three quarters of it.
TEST(AnswerTightness, SharedCastsMakeTheDenominatorSmaller) {
  BareRow row({0, -6}, {0, 1});
  row.numerics.weight.cast.roundoff = 0.25;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = {-1, 1}}, {0.98, 0.98});
}

/// The first weight is cast to three quarters again, which makes the denominator smaller; operands err by as much.
TEST(AnswerTightness, ProductsAreDividedByWhatIsLeft) {
  BareRow row({0, -6}, {0, 1});
  row.numerics.weight.cast.roundoff = row.numerics.value.operand_roundoff = 0.25;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = {-1, 1}, .operands = 1}, {0.98, 0.98});
}

TEST(AnswerTightness, CastsOfTheNumeratorAlone) {
  BareRow row = pulled_apart();
  row.numerics.weight.cast.roundoff = u;
  expect_reached(row, {.casts = apart}, {0.99, 0.99});
}

}  // namespace
}  // namespace attestone::emulation
