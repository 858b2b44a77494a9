// SPDX-License-Identifier: Apache-2.0
// Parts that are divided first and merged by sigmoids of their log_sum_exp, and what they have in common with those
// that are corrected late: one error at a time, on purpose, comes near its bound and not beyond.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/erring_merge.hpp"

namespace attestone::emulation {
namespace {

using Keys = std::vector<double>;
using enum Step;

constexpr auto late = MergeForm::late_correction;
constexpr auto sigmoid = MergeForm::sigmoid;

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

TEST(DividedMergeTightness, DivisionOfParts) {
  for (const MergeForm form : {late, sigmoid}) {
    Numerics numerics = merging(form, 2);
    numerics.output.accumulator.roundoff = large;
    const RowShares got = shares(numerics, {.form = form, .errors = {{part_division, {large}}}}, {0, 0}, {1, 1});
    EXPECT_LE(got.out, 1);
    EXPECT_GE(got.out, 0.98);
  }
}

TEST(DividedMergeTightness, StoredLogSumExpOfParts) {
  for (const MergeForm form : {late, sigmoid}) {
    Numerics numerics = merging(form, 2);
    numerics.merge.log_sum_exp_roundoff = large;
    const RowShares got =
        shares(numerics, {.form = form, .errors = {{stored_log_sum_exp, {large, -large}}}}, {100, 100}, {1, -1});
    EXPECT_LE(got.out, 1);
    EXPECT_GE(got.out, 0.98);
  }
}

TEST(DividedMergeTightness, LogSumExpOfPartsPutTogether) {
  for (const MergeForm form : {late, sigmoid}) {
    Numerics numerics = merging(form, 2);
    numerics.output.accumulator.roundoff = large;
    const ErringMerge kernel{.form = form, .errors = {{part_maximum, {large, -large}}, {part_sum, {large, -large}}}};
    const RowShares got = shares(numerics, kernel, {100, 100}, {1, -1});
    EXPECT_LE(got.out, 1);
    EXPECT_GE(got.out, 0.98);
  }
}

/// lse is large: where it is kept in base 2 until the end, three roundings of the last step and one of each before.
TEST(DividedMergeTightness, SumsOfManySteps) {
  for (const MergeForm form : {late, sigmoid}) {
    Numerics numerics = merging(form, 4, 2);
    numerics.merge.accumulator.roundoff = large;
    const ErringMerge kernel{
        .form = form, .pairwise = true, .errors = {{step_sum, {large}}, {step_end, {0, 0, large}}}};
    const RowShares got = shares(numerics, kernel, {1000, 1000, 1000, 1000}, {1, 1, 1, 1});
    EXPECT_LE(got.log_sum_exp, 1);
    EXPECT_GE(got.log_sum_exp, 0.65);
  }
}

/// The larger lse joins: the logarithm returns their distance, with its own error and those of constants and argument.
TEST(DividedMergeTightness, DistanceOfTwoParts) {
  Numerics by_logarithm = merging(sigmoid, 2), by_rounding = by_logarithm;
  by_logarithm.merge.log_error = large;
  by_rounding.merge.accumulator.roundoff = large;
  const RowShares logarithm =
      shares(by_logarithm, {.form = sigmoid, .errors = {{step_logarithm, {large}}}}, {-500, 0}, {1, 1});
  EXPECT_LE(logarithm.log_sum_exp, 1);
  EXPECT_GE(logarithm.log_sum_exp, 0.98);
  const RowShares rounding =
      shares(by_rounding, {.form = sigmoid, .errors = {{step_constants, {large}}}}, {-500, 0}, {1, 1});
  EXPECT_LE(rounding.log_sum_exp, 1);
  EXPECT_GE(rounding.log_sum_exp, 0.35);
}

/// The part that weighs nothing errs by an eighth. That makes the distance longer, of which the logarithm errs by an
/// eighth.
TEST(DividedMergeTightness, DistanceOfPartsThatErr) {
  Numerics numerics = merging(sigmoid, 2);
  numerics.merge.log_sum_exp_roundoff = numerics.merge.log_error = 0.125;
  const ErringMerge kernel{.form = sigmoid, .errors = {{stored_log_sum_exp, {0.125, 0}}, {step_logarithm, {0.125}}}};
  const RowShares got = shares(numerics, kernel, {-200, 0}, {1, 1});
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.8);
}

/// Errors of the first steps of two groups weigh one against the other.
TEST(DividedMergeTightness, StepsOfTwoGroups) {
  Numerics numerics = merging(sigmoid, 4, 2);
  numerics.merge.log_error = large;
  const ErringMerge kernel{.form = sigmoid, .pairwise = true, .errors = {{step_logarithm, {large, -large}}}};
  const RowShares got = shares(numerics, kernel, {-100, 0, -100, 0}, {0, 1, 0, -1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.48);
}

/// A first part that weighs nothing but lies far away leaves its last place behind.
TEST(DividedMergeTightness, DifferenceOfParts) {
  Numerics numerics = merging(sigmoid, 2);
  numerics.merge.accumulator.roundoff = large;
  const ErringMerge kernel{.form = sigmoid,
                           .errors = {{sigmoid_one_plus, {-large}},
                                      {sigmoid_quotient, {large}},
                                      {difference, {large}},
                                      {difference_product, {large}}}};
  const RowShares got = shares(numerics, kernel, {-40, 0}, {1, 0});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.38);
}

TEST(DividedMergeTightness, SubtractionOfTheDifference) {
  Numerics numerics = merging(sigmoid, 4);
  numerics.merge.accumulator.roundoff = large;
  const RowShares got =
      shares(numerics, {.form = sigmoid, .errors = {{subtraction, {large}}}}, {0, -40, -40, -40}, {1, 1, 1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
}

}  // namespace
}  // namespace attestone::emulation
