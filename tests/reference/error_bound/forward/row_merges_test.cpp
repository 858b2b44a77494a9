// SPDX-License-Identifier: Apache-2.0
// What merging adds to the errors of a row, form by form, against the formulas of docs/tolerance.md worked out apart.
#include "reference/error_bound/forward/row_merges.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace attestone {
namespace {

/// Two powers of two whose sums are exact enough to tell every term from every other.
constexpr double u = 0x1p-20, u_lse = 0x1p-14, u_part = 0x1p-13, exp_error = 0x1p-12, log_error = 0x1p-11;
constexpr double eta = 0x1p-30, v = 0x1p-18, own_log_error = 0x1p-17, own_eta = 0x1p-31;
const double ln_2 = std::log(2.0), ln_3 = std::log(3.0);

/// n roundings of r.
double several(double n, double r) { return n * r / (1 - n * r); }

/// Three keys, all errors different.
RowScores row() {
  RowScores scores;
  scores.keys = {0, 1, 2};
  scores.score = {-7, 1, -2};
  scores.error = {0.25, 0.125, 0};
  return scores;
}
constexpr double reach = 1.125, least = -7.25;

Numerics merging(MergeForm form, index parts, index depth = 0) {
  Numerics numerics;
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  numerics.merge.depth = depth;
  numerics.merge.accumulator = {.roundoff = u, .underflow = eta};
  numerics.merge.log_sum_exp_roundoff = u_lse;
  numerics.merge.out.roundoff = u_part;
  numerics.merge.exp_error = exp_error;
  numerics.merge.log_error = log_error;
  numerics.output.accumulator = {.roundoff = v, .underflow = own_eta};
  numerics.output.log_error = own_log_error;
  return numerics;
}

/// |m| of a part with entry j: 7.25, 1.125, 2.
constexpr std::array<double, 3> maximum{7.25, 1.125, 2};

void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-12) << got << " " << expected; }

/// F_j: m + ln l, stored.
double part(std::size_t j, double distance = 0) {
  const double value = maximum[j] + ln_3;
  const double logarithm = (several(2, v) * (1 + own_log_error) + own_log_error) * (ln_3 + ln_2 + distance);
  const double sum = several(5, v) * (maximum[j] + distance) + logarithm;
  const double together = sum + several(3, v) * (value + sum);
  return together + u_lse * (value + together) + own_eta;
}

double step(std::size_t j) {
  return several(4, u) * (1 + ln_2) + exp_error / 2 + log_error * ln_2 + several(3, u) * (maximum[j] + ln_3) + eta;
}

TEST(RowMerges, NothingWithoutParts) {
  for (const Numerics& none : {merging(MergeForm::none, 3), merging(MergeForm::rescaled_sums, 1)}) {
    const RowMerges merges = row_merges(row(), none, reach, 0);
    EXPECT_TRUE(merges.exponent.empty());
    EXPECT_EQ(merges.numerator + merges.denominator + merges.stored + merges.difference + merges.subtraction, 0);
  }
}

TEST(RowMerges, PartsAndRoundsAreAtMostThoseOfTheEntries) {
  const auto counts = [](index parts, index depth, bool sink) {
    RowScores scores = row();
    if (sink) scores.score.push_back(0), scores.error.push_back(0);
    const RowMerges merges = row_merges(scores, merging(MergeForm::rescaled_sums, parts, depth), reach, 0);
    return std::pair(merges.parts, merges.rounds);
  };
  EXPECT_EQ(counts(2, 0, false), std::pair(2.0, 1.0));
  EXPECT_EQ(counts(3, 0, false), std::pair(3.0, 2.0));
  EXPECT_EQ(counts(9, 0, false), std::pair(3.0, 2.0));
  EXPECT_EQ(counts(9, 1, false), std::pair(3.0, 1.0));
  EXPECT_EQ(counts(3, 1, true), std::pair(4.0, 2.0));
}

TEST(RowMerges, RescaledSums) {
  const RowMerges merges = row_merges(row(), merging(MergeForm::rescaled_sums, 3), reach, 0);
  for (std::size_t j = 0; j < 3; ++j) {
    expect_near(merges.exponent[j], 2 * exp_error + u_lse * maximum[j]);
  }
  expect_near(merges.stored, u_part);
  expect_near(merges.numerator, several(4, u));
  expect_near(merges.denominator, (1 + u_lse) * (1 + several(4, u)) - 1);
  EXPECT_EQ(merges.difference + merges.subtraction, 0);
}

TEST(RowMerges, SharedMaximum) {
  const RowMerges merges = row_merges(row(), merging(MergeForm::shared_maximum, 3), reach, 0);
  for (std::size_t j = 0; j < 3; ++j) expect_near(merges.exponent[j], u_lse * maximum[j]);
  expect_near(merges.stored, u_part);
  expect_near(merges.numerator, several(2, u));
  expect_near(merges.denominator, (1 + u_lse) * (1 + several(2, u)) - 1);
}

TEST(RowMerges, UnitsThatTruncateAddMore) {
  Numerics numerics = merging(MergeForm::shared_maximum, 3);
  numerics.merge.accumulator.truncates = true;
  expect_near(row_merges(row(), numerics, reach, 0).numerator, several(3, u));
}

TEST(RowMerges, LateCorrection) {
  const RowMerges merges = row_merges(row(), merging(MergeForm::late_correction, 3, 1), reach, 0);
  for (std::size_t j = 0; j < 3; ++j) {
    const double behind = reach + ln_3 - row().score[j] + row().error[j];
    expect_near(merges.log_step[j], step(j));
    expect_near(merges.late[j], exp_error + several(2, u) * (behind + part(j) + part(0) + step(0)));
    expect_near(merges.exponent[j], part(j) + merges.late[j]);
  }
  expect_near(merges.stored, u_part);
  expect_near(merges.numerator, (1 + several(2, v)) * (1 + several(3, u)) - 1);
  EXPECT_EQ(merges.denominator + merges.difference + merges.subtraction, 0);
}

TEST(RowMerges, Sigmoid) {
  const RowMerges merges = row_merges(row(), merging(MergeForm::sigmoid, 3), reach, 0);
  const double span = reach + ln_3 - least, share = several(2, u) + log_error;
  // The largest errors are those of key 0; the second of two steps has those of the first in its argument, twice.
  const double own = exp_error / 2 + share * (span + ln_2 + 2 * part(0));
  const double distance = (own + 2 * share * step(0)) / (1 - 2 * share);
  for (std::size_t j = 0; j < 3; ++j) {
    const double expected = step(j) + distance;
    expect_near(merges.log_step[j], expected);
    expect_near(merges.exponent[j], part(j) + 2 * expected);
    EXPECT_EQ(merges.late[j], 0);
  }
  expect_near(merges.stored, u_part);
  expect_near(merges.numerator, several(2, v));
  expect_near(merges.difference, 2 * (several(6, u) + exp_error / 4));
  expect_near(merges.subtraction, 2 * several(1, u));
  EXPECT_EQ(merges.denominator, 0);
}

/// The number subtracted from the scores of a part may be further away than their maximum.
TEST(RowMerges, ReferencesMayBeDistant) {
  const Numerics numerics = merging(MergeForm::sigmoid, 3);
  const double near = row_merges(row(), numerics, reach, 0).exponent[1];
  const double share = several(2, u) + log_error, distance = 2 * share * (part(0, 10) - part(0)) / (1 - 2 * share);
  expect_near(row_merges(row(), numerics, reach, 10).exponent[1] - near, part(1, 10) - part(1) + 2 * distance);
}

}  // namespace
}  // namespace attestone
