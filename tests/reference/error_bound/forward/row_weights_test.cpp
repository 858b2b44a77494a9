// SPDX-License-Identifier: Apache-2.0
// How far weights may stray, against the formulas of docs/tolerance.md, "Weights", worked out apart.
#include "reference/error_bound/forward/row_weights.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/rounding.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

constexpr double u = 0x1p-20, u_score = 0x1p-18, exp_error = 0x1p-10;

double several(double n, double r) { return n * r / (1 - n * r); }
void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-12) << got << " " << expected; }

Numerics some_errors() {
  Numerics numerics;
  numerics.weight.accumulator = {.roundoff = u, .underflow = 0x1p-126};
  numerics.weight.exp_error = exp_error;
  numerics.weight.tile_keys = 1;
  numerics.score.accumulator.roundoff = u_score;
  return numerics;
}

/// Keys of the given scores, all with this error, of which half comes from the sum q.k and a quarter from storage.
RowScores keys(const std::vector<double>& score, double error) {
  RowScores row;
  row.score.assign(score.begin(), score.end());
  for (std::size_t j = 0; j < score.size(); ++j) row.keys.push_back(static_cast<index>(j));
  row.error.assign(score.size(), error);
  row.chain.assign(score.size(), error / 2);
  row.stored.assign(score.size(), error / 4);
  for (auto* list : {&row.magnitude, &row.bias}) list->assign(score.size(), 0.0);
  return row;
}

RowScores with_sink(RowScores row, double logit, double error) {
  row.score.push_back(logit), row.error.push_back(error);
  for (auto* list : {&row.magnitude, &row.bias, &row.chain, &row.stored}) list->push_back(0);
  return row;
}

TEST(RowWeights, EveryErrorIsThatOfThePage) {
  constexpr double error = 0.125, distance = 0.5;
  Numerics numerics = some_errors();
  numerics.weight.reference_below = distance;
  const RowWeights row = row_weights(keys({1, 3, -2}, error), numerics, 8);
  const double l = 1 + std::exp(-2.0) + std::exp(-5.0);
  EXPECT_EQ(row.largest_score, 3);
  EXPECT_EQ(row.reach, 3.125);
  EXPECT_EQ(row.shortfall, 0.125);
  expect_near(row.denominator, l);
  expect_near(row.log_sum_exp, 3 + std::log(l));
  double total = 0, total_exponent = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double s = std::array{1.0, 3.0, -2.0}[j], p = std::exp(s - 3) / l;
    const double raises = j == 1 ? 0 : 1;
    const double x = error + several(2, u) * (3.125 - s + error + distance) + exp_error * (1 + raises);
    const double tau = x * (1 + x);
    expect_near(row.share[j], p);
    expect_near(row.exponent[j], x);
    expect_near(row.error[j], p * tau);
    expect_near(row.upper[j], p * (1 + tau));
    expect_near(row.chain[j], p * error / 2);
    expect_near(row.chain_root[j], p * error / 2 * u_score * 3 / several(9, u_score));
    expect_near(row.stored[j], p * error / 4);
    expect_near(row.systematic[j], p * (x - error * 3 / 4) + p * tau - p * x);
    total += p * tau, total_exponent += p * x;
  }
  expect_near(row.total_error, total);
  expect_near(row.total_exponent, total_exponent);
}

TEST(RowWeights, LargeExponentsAreNotTakenForLinear) {
  const RowWeights row = row_weights(keys({0, 0}, 3), some_errors(), 8);
  const double x = row.exponent[0];
  EXPECT_GT(x, 3);
  EXPECT_NEAR(row.error[0] / (0.5 * std::expm1(x)), 1, 1e-12);
}

/// The sink did not raise the maximum, so its argument may be as large as its distance above the keys' maximum.
TEST(RowWeights, ASinkMayBeAboveTheMaximum) {
  const RowWeights row = row_weights(with_sink(keys({0, -1}, 0.125), 5, 0.25), some_errors(), 8);
  EXPECT_EQ(row.shortfall, 5.125);
  expect_near(row.exponent[2], 0.25 + several(2, u) * (5.125 + 0.25) + exp_error);
  EXPECT_EQ(row.reach, 5.25);
  expect_near(row.exponent[0], 0.125 + several(2, u) * (5.25 + 0.125) + exp_error * 2);  // for the sink
}

/// Among many near-ties not all raise the maximum.
TEST(RowWeights, ManyNearTiesRaiseTheMaximumSeldom) {
  constexpr double error = 1e-9;
  const RowWeights row = row_weights(keys(std::vector<double>(100, 0.0), error), some_errors(), 8);
  EXPECT_EQ(row.rescalings, 99);
  const double always = error + several(2, u) * 2 * error + exp_error, exponent = always + 99 * exp_error;
  expect_near(row.exponent[0], exponent);
  const double tau = exponent * (1 + exponent);
  expect_near(row.systematic[0], 0.01 * (always + 60 * exp_error - error * 3 / 4 + tau - exponent));
}

TEST(RowWeights, SumsHaveOneRoundingAKeyAndOneARescaling) {
  const auto sums = [](bool fresh, index tile, bool truncates, double sink) {
    Numerics numerics = some_errors();
    numerics.weight.tile_keys = tile;
    numerics.value.fresh_accumulator_per_tile = fresh;
    numerics.value.accumulator.truncates = truncates;
    RowScores scores = keys({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0);
    if (sink != 0) scores = with_sink(scores, sink, 0);
    const SumRoundings sum = row_weights(scores, numerics, 8).value_sum;
    return std::pair(sum.chain, sum.extra);
  };
  EXPECT_EQ(sums(false, 0, false, 0), std::pair(10.0, 0.0));
  EXPECT_EQ(sums(false, 1, false, 0), std::pair(19.0, 9.0));
  EXPECT_EQ(sums(false, 4, false, 0), std::pair(12.0, 2.0));
  EXPECT_EQ(sums(false, 0, true, 0), std::pair(15.0, 5.0));
  EXPECT_EQ(sums(true, 4, false, 0), std::pair(4.0 + 3 + 2, 3.0 + 2));
  EXPECT_EQ(sums(true, 4, true, 0), std::pair(1.5 * 7 + 2, 5 + 1.5 * 3 + 2));
  EXPECT_EQ(sums(true, 4, false, -1), std::pair(4.0 + 3 + 1 + 3, 3.0 + 3));
}

TEST(RowWeights, WeightsBelowTheNormalRangeAreCounted) {
  Numerics numerics = some_errors();
  numerics.weight.cast.smallest_normal = std::exp(-10.0);
  const auto underflows = [&](double s) { return row_weights(keys({0, s}, 0), numerics, 8).underflows; };
  EXPECT_EQ(underflows(-9.9), 0);
  EXPECT_EQ(underflows(-9.999), 1);  // with its errors
  EXPECT_EQ(underflows(-10.1), 1);
  numerics.weight.normalised = true;
  EXPECT_EQ(underflows(-9.4), 1);  // divided by up to twice the denominator
  EXPECT_EQ(underflows(-9.2), 0);
  numerics.weight.reference_below = 5;  // makes no weight smaller
  EXPECT_EQ(underflows(-9.2), 0);
  numerics.weight.reference_above = 2;
  EXPECT_EQ(underflows(-7.4), 1);
  EXPECT_EQ(underflows(-7.2), 0);
}

/// A kernel that subtracts a bound of the scores, less 5, does so only where the bound is small enough.
TEST(RowWeights, ABoundMayStandForTheMaximum) {
  Numerics numerics = some_errors();
  numerics.weight.reference_below = 7;
  numerics.weight.bounded_maximum = {.lowered = 5, .largest = 20};
  RowScores scores = keys({1, 3, -2}, 0);
  const auto reference = [&](double bound) {
    scores.norm_bound = bound;
    const RowWeights row = row_weights(scores, numerics, 8);
    return std::pair(row.above, row.distance);
  };
  EXPECT_EQ(reference(20), std::pair(12.0, 12.0));
  EXPECT_EQ(reference(12), std::pair(4.0, 7.0));
  EXPECT_EQ(reference(4), std::pair(0.0, 7.0));   // below the maximum, by no more than is declared
  EXPECT_EQ(reference(21), std::pair(0.0, 7.0));  // too large: the maximum itself
  EXPECT_EQ(reference(NAN), std::pair(0.0, 7.0));
}

/// Whatever of it is declared.
TEST(NormalRange, BeginsWhereRoundoffAndUnderflowMeet) {
  EXPECT_EQ(normal_from(gradual_cast(dtype("f16"))), 0x1p-14);
  EXPECT_EQ(normal_from(flushing_cast(dtype("f16"))), 0x1p-14);
  EXPECT_EQ(normal_from(flushing_cast(dtype("bf16"))), 0x1p-126);
  Cast cast = flushing_cast(dtype("bf16"));
  cast.roundoff = 0x1p-11, cast.underflow = 0x1p-25;  // as who declares these two alone
  EXPECT_EQ(normal_from(cast), 0x1p-14);
  cast.roundoff = 0;
  EXPECT_EQ(normal_from(cast), 0x1p-126);
}

}  // namespace
}  // namespace attestone
