// SPDX-License-Identifier: Apache-2.0
// Parts that are corrected late, by the log_sum_exp of all: one error at a time, on purpose, comes near its bound and
// not beyond.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/erring_merge.hpp"

namespace attestone::emulation {
namespace {

using Keys = std::vector<double>;
using enum Step;

constexpr auto late = MergeForm::late_correction;

Numerics merging(MergeForm form, index parts, index depth = 0) {
  Numerics numerics = in_doubles();
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  numerics.merge.depth = depth;
  return numerics;
}

RowShares shares(const Numerics& numerics, const ErringMerge& kernel, const Keys& scores, const Keys& values) {
  return shares_of(OneRow(scores, values), numerics, kernel.answer(scores, values));
}

/// The exponentials that the parts of a late correction are multiplied by err alike: nothing divides by their sum.
TEST(LateMergeTightness, LateExponentialsAreNotCentred) {
  Numerics numerics = merging(late, 2);
  numerics.merge.exp_error = large;
  const RowShares got = shares(numerics, {.form = late, .errors = {{late_exponential, {large}}}}, {0, 0}, {1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.65);
}

TEST(LateMergeTightness, LateExponentials) {
  Numerics numerics = merging(late, 2);
  numerics.merge.exp_error = large;
  const RowShares got =
      shares(numerics, {.form = late, .errors = {{late_exponential, {large, -large}}}}, {0, 0}, {1, -1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
}

/// A part far below the whole: its argument is rounded twice.
TEST(LateMergeTightness, LateArguments) {
  Numerics numerics = merging(late, 2);
  numerics.merge.accumulator.roundoff = large;
  const double least = std::exp(-30.0);
  const RowShares got =
      shares(numerics, {.form = late, .errors = {{late_argument, {0, large}}}}, {0, -30}, {-least, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.8);
}

TEST(LateMergeTightness, ProductsOfALateSum) {
  Numerics numerics = merging(late, 2);
  numerics.merge.accumulator.roundoff = large;
  const ErringMerge kernel{.form = late,
                           .errors = {{late_argument, {large, -large}}, {rescaling_product, {-large, large}}}};
  const RowShares got = shares(numerics, kernel, {0, 0}, {1, -1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.7);
}

/// e^x of a step whose x is just below 0: half of its error.
TEST(LateMergeTightness, ExponentialOfAStep) {
  Numerics numerics = merging(late, 2);
  numerics.merge.exp_error = large;
  const ErringMerge kernel{.form = late, .errors = {{step_exponential, {large}}, {late_exponential, {-large}}}};
  const RowShares got = shares(numerics, kernel, {0, -0.01}, {1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.3);
}

TEST(LateMergeTightness, LogarithmOfAStep) {
  Numerics numerics = merging(late, 2);
  numerics.merge.log_error = large;
  const RowShares got = shares(numerics, {.form = late, .errors = {{step_logarithm, {large}}}}, {0, 0}, {1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.98);
}

/// 1 + e, ln 2 and its product; then the addition.
TEST(LateMergeTightness, RoundingsOfAStep) {
  Numerics numerics = merging(late, 2);
  numerics.merge.accumulator.roundoff = large;
  const ErringMerge kernel{.form = late,
                           .errors = {{step_one_plus, {large}},
                                      {step_constants, {large}},
                                      {step_sum, {large}},
                                      {late_argument, {large}},
                                      {rescaling_product, {-large}},
                                      {addition, {-large}}}};
  const RowShares got = shares(numerics, kernel, {0, 0}, {1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.5);
}

}  // namespace
}  // namespace attestone::emulation
