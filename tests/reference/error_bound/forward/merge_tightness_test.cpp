// SPDX-License-Identifier: Apache-2.0
// Parts that are rescaled and added: one error at a time, on purpose, comes near its bound and not beyond.
//
// A bound that lacked the term, or half of it, would be exceeded.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/erring_merge.hpp"

namespace attestone::emulation {
namespace {

using Keys = std::vector<double>;
using enum Step;

Numerics merging(MergeForm form, index parts) {
  Numerics numerics = in_doubles();
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  return numerics;
}

RowShares shares(const Numerics& numerics, const ErringMerge& kernel, const Keys& scores, const Keys& values) {
  return shares_of(OneRow(scores, values), numerics, kernel.answer(scores, values));
}

constexpr auto sums = MergeForm::rescaled_sums;
constexpr auto shared = MergeForm::shared_maximum;

TEST(MergeTightness, WithoutErrorsNothingIsLeft) {
  for (const MergeForm form : {sums, shared, MergeForm::late_correction, MergeForm::sigmoid}) {
    const RowShares got = shares(merging(form, 3), {.form = form}, {1, -2, 3}, {1, 2, -4});
    EXPECT_LT(got.out, 0.3);
    EXPECT_LT(got.log_sum_exp, 0.3);
  }
}

/// The part with the maximum is not multiplied. A part that weighs nothing brings it in: the others err against each
/// other.
TEST(MergeTightness, ExponentialOfOneMerge) {
  Numerics numerics = merging(sums, 2);
  numerics.merge.exp_error = large;
  const RowShares got = shares(numerics, {.form = sums, .errors = {{rescaling_exponential, {large}}}}, {-1, 0}, {1, 0});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.49);
}

/// The first part is multiplied three times, once for every part that joins and raises the maximum.
TEST(MergeTightness, ExponentialsOfManyMerges) {
  Numerics numerics = merging(sums, 4);
  numerics.merge.exp_error = large;
  const RowShares got = shares(numerics, {.form = sums, .errors = {{rescaling_exponential, {large}}}},
                               {-0.003, -0.002, -0.001, 0}, {1, 0, 0, -1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.49);  // the least that shows whether one merge counts or three
}

/// So large and so far down that its square shows: nearly all weights are multiplied by 3/4.
TEST(MergeTightness, ExponentialThatIsMuchTooSmall) {
  constexpr double error = 0.25;
  Numerics numerics = merging(sums, 2);
  numerics.merge.exp_error = error;
  Keys scores(65, -1e-6);
  scores.back() = 0;
  const ErringMerge kernel{.form = sums, .keys_per_part = 64, .errors = {{rescaling_exponential, {-error}}}};
  const RowShares got = shares(numerics, kernel, scores, Keys(65, 1.0));
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.8);
}

TEST(MergeTightness, StoredMaximum) {
  Numerics numerics = merging(sums, 2);
  numerics.merge.log_sum_exp_roundoff = large;
  const RowShares got =
      shares(numerics, {.form = sums, .errors = {{stored_maximum, {large, -large}}}}, {100, 100}, {1, -1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
}

/// An error that all parts share shows in log_sum_exp only.
TEST(MergeTightness, StoredSharedMaximum) {
  Numerics numerics = merging(shared, 2);
  numerics.merge.log_sum_exp_roundoff = large;
  const RowShares got = shares(numerics, {.form = shared, .errors = {{stored_maximum, {large}}}}, {100, 100}, {1, -1});
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.98);
}

TEST(MergeTightness, StoredDenominator) {
  for (const MergeForm form : {sums, shared}) {
    Numerics numerics = merging(form, 2);
    numerics.merge.log_sum_exp_roundoff = large;
    const RowShares got = shares(numerics, {.form = form, .errors = {{stored_denominator, {large}}}}, {0, 0}, {1, 1});
    EXPECT_LE(got.out, 1);
    EXPECT_GE(got.out, 0.98);
    EXPECT_LE(got.log_sum_exp, 1);
    EXPECT_GE(got.log_sum_exp, 0.98);
  }
}

TEST(MergeTightness, StoredSumsAndAnswers) {
  for (const MergeForm form : {sums, shared, MergeForm::late_correction, MergeForm::sigmoid}) {
    Numerics numerics = merging(form, 2);
    numerics.merge.out = {.roundoff = large, .largest = 1e300};
    const RowShares got = shares(numerics, {.form = form, .errors = {{stored_out, {large, -large}}}}, {0, 0}, {1, -1});
    EXPECT_LE(got.out, 1);
    EXPECT_GE(got.out, 0.98);
  }
}

/// A factor below the normal range takes all of its part along, weights of 1 and large values included.
TEST(MergeTightness, FactorsThatUnderflow) {
  Numerics numerics = merging(sums, 2);
  numerics.merge.accumulator.underflow = std::exp(-12.0);
  const ErringMerge kernel{.form = sums, .errors = {{rescaling_exponential, {-1}}}};
  const RowShares got = shares(numerics, kernel, {-12.001, 0}, {1000, 0});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.95);
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.95);
}

/// Products and additions of the first part, which weighs nearly all, err one way; those of the denominator err the
/// other way.
TEST(MergeTightness, ProductsAndAdditionsOfRescaledSums) {
  Numerics numerics = merging(sums, 4);
  numerics.merge.accumulator.roundoff = large;
  const ErringMerge kernel{.form = sums,
                           .errors = {{rescaling_product, {large}},
                                      {addition, {large}},
                                      {denominator_product, {-large}},
                                      {denominator_addition, {-large}}}};
  const RowShares got = shares(numerics, kernel, {0, -30, -30, -30}, {1, 1, 1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.98);
}

TEST(MergeTightness, AdditionsUnderASharedMaximum) {
  Numerics numerics = merging(shared, 4);
  numerics.merge.accumulator.roundoff = large;
  const ErringMerge kernel{.form = shared, .errors = {{addition, {large}}, {denominator_addition, {-large}}}};
  const RowShares got = shares(numerics, kernel, {0, -30, -30, -30}, {1, 1, 1, 1});
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, 0.98);
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.98);
}

}  // namespace
}  // namespace attestone::emulation
