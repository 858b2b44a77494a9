// SPDX-License-Identifier: Apache-2.0
// Answers, weights and sums below the normal range, each alone and at its worst.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

TEST(AnswerTightness, AnswersBelowTheNormalRange) {
  BareRow stored({0}, {1}), divided({0}, {1});
  stored.numerics.output.cast.underflow = 0x1p-20;
  divided.numerics.output.accumulator.underflow = 0x1p-20;
  expect_reached(stored, {.output = 1}, {0.99, 0.99});
  expect_reached(divided, {.output = 1}, {0.99, 0.99});
}

/// Weights just below the normal range, all of them flushed.
TEST(AnswerTightness, WeightsBelowTheNormalRange) {
  std::vector<double> scores(50, std::log(u) - 0.01), values(50, 1);
  scores[0] = values[0] = 0;
  BareRow weights(scores, values), casts(scores, values);
  weights.numerics.weight.accumulator.underflow = u;
  casts.numerics.weight.cast.underflow = casts.numerics.weight.cast.smallest_normal = u;
  expect_reached(weights, {.flush = true}, {0.9, 0.9});
  expect_reached(casts, {.flush = true}, {0.9, 0.9});
}

/// All but one are flushed, a fifth of the denominator.
TEST(AnswerTightness, DenominatorsThatLoseWhatUnderflows) {
  std::vector<double> scores(257, std::log(u) - 0.001), values(257, 0);
  scores[0] = 0, values[0] = 1;
  BareRow row(scores, values);
  row.numerics.weight.accumulator.underflow = u;
  expect_reached(row, {.flush = true}, {0.95, 0.95});
}

TEST(AnswerTightness, SumsBelowTheNormalRange) {
  BareRow row({0, 0, 0, 0}, {1, 1, 1, 1});
  row.numerics.value.accumulator.underflow = 0x1p-20;
  expect_reached(row, {.tiny = 1}, {0.5, 0.5});
}

}  // namespace
}  // namespace attestone::emulation
