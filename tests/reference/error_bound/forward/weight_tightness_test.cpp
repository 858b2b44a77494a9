// SPDX-License-Identifier: Apache-2.0
// One step from scores to weights, sums and log_sum_exp errs at a time: the bound holds, and is not much larger.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

using Keys = std::vector<double>;

/// Weights multiplied by 1 + `errors`.
Answered weighted(const Keys& scores, const Keys& values, const Keys& errors) {
  long double sum = 0, denominator = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const long double weight = std::exp(static_cast<long double>(scores[j])) * (1 + errors[j]);
    sum += weight * values[j], denominator += weight;
  }
  return {static_cast<double>(sum / denominator), static_cast<double>(std::log(denominator))};
}

RowShares shares(const Numerics& numerics, const Keys& scores, const Keys& values, const Keys& errors) {
  return shares_of(OneRow(scores, values), numerics, weighted(scores, values, errors));
}

void expect_tight(double share, double least) {
  EXPECT_LE(share, 1);
  EXPECT_GE(share, least);
}

/// The difference from the maximum, and its product with log2 e.
TEST(WeightTightness, ArgumentOfTheExponential) {
  Numerics numerics = in_doubles();
  numerics.weight.accumulator.roundoff = large;
  const double p = std::exp(-30.0), error = std::exp(30 * (std::pow(1 + large, 2) - 1)) - 1;
  const RowShares got = shares(numerics, {0, -30}, {-p, 1}, {0, error});
  expect_tight(got.out, 0.9);
}

/// The number subtracted lies far from the maximum, so that all arguments are as large as that distance.
TEST(WeightTightness, ArgumentsUnderADistantReference) {
  Numerics numerics = in_doubles();
  numerics.weight.accumulator.roundoff = large;
  numerics.weight.reference_above = numerics.weight.reference_below = 100;
  const double error = std::exp(100 * (std::pow(1 + large, 2) - 1)) - 1;
  expect_tight(shares(numerics, {0, 0}, {1, -1}, {error, -error}).out, 0.98);
}

/// All but the largest err, as exp(0) is 1.
TEST(WeightTightness, Exponential) {
  Numerics numerics = in_doubles();
  numerics.weight.exp_error = large;
  expect_tight(shares(numerics, {0, -1, -1}, {0, 1, -1}, {0, large, -large}).out, 0.98);
  expect_tight(
      shares(numerics, {0, -1, -1, -1, -1, -1}, Keys(6, 1.0), {0, large, large, large, large, large}).log_sum_exp, 0.6);
}

/// Each of the first keys is rescaled once more than the next.
TEST(WeightTightness, Rescalings) {
  Numerics numerics = in_doubles();
  numerics.weight.tile_keys = 1;
  numerics.weight.visits = Visits::ascending;
  numerics.weight.exp_error = large;
  const Keys scores{-0.003, -0.002, -0.001, 0};
  expect_tight(shares(numerics, scores, {1, 0, 0, -1}, {3 * large, 2 * large, large, 0}).out, 0.48);
}

/// A sink behind the keys raises the maximum by itself: all keys are rescaled.
TEST(WeightTightness, ASinkRescalesAllKeys) {
  Numerics numerics = in_doubles();
  numerics.weight.exp_error = large;
  OneRow row({-2, -2.1, -2.1, -2.1, -2.1}, Keys(5, 1.0), "scale=1 score=sink:head");
  row.inputs.sink->view().set(0, 0, 0, 0, 0);
  const Keys errors{large, 2 * large, 2 * large, 2 * large, 2 * large, 0};
  expect_tight(shares_of(row, numerics, weighted({-2, -2.1, -2.1, -2.1, -2.1, 0}, {1, 1, 1, 1, 1, 0}, errors)).out,
               0.55);
}

/// The first addend, which is nearly all, goes through every addition; numerator and denominator err apart.
TEST(WeightTightness, SumsOfValuesAndWeights) {
  const Keys scores{0, -30, -30, -30, -30, -30, -30, -30}, values(8, 1.0);
  Numerics of_values = in_doubles(), of_weights = of_values;
  of_values.value.accumulator.roundoff = of_weights.weight.accumulator.roundoff = large;
  const OneRow row(scores, values);
  const double up = std::pow(1 + large, 8), down = std::pow(1 - large, 7);
  const double log_sum_exp = std::log1p(7 * std::exp(-30.0));
  expect_tight(shares_of(row, of_values, {up, log_sum_exp}).out, 0.98);
  const RowShares got = shares_of(row, of_weights, {1 / down, log_sum_exp + std::log(down)});
  expect_tight(got.out, 0.85);
  expect_tight(got.log_sum_exp, 0.85);
}

TEST(WeightTightness, WeightsThatUnderflow) {
  Numerics numerics = in_doubles();
  numerics.weight.accumulator.underflow = std::exp(-12.0);
  const Keys scores{0, -12.001, -12.001, -12.001};
  expect_tight(shares(numerics, scores, {0, 1, 1, 1}, {0, -1, -1, -1}).out, 0.98);
}

/// Each product is lost, and the answer with them.
TEST(WeightTightness, ProductsThatUnderflow) {
  constexpr double eta = 0x1p-20;
  Numerics numerics = in_doubles();
  numerics.value.accumulator.underflow = eta;
  const Keys scores(100, 0.0), values(100, eta * 0.999);
  const double log_sum_exp = std::log(100.0);
  expect_tight(shares_of(OneRow(scores, values), numerics, {0, log_sum_exp}).out, 0.3);
}

/// Five roundings of the maximum, three of the sum; two of the logarithm; the logarithm itself; storage.
TEST(WeightTightness, LogSumExpPutTogether) {
  const OneRow one({100}, {1}), two({0, 0}, {1, 1});
  const double ln_2 = std::log(2.0);
  Numerics numerics = in_doubles();
  numerics.output.accumulator.roundoff = large;
  expect_tight(shares_of(one, numerics, {1, 100 * std::pow(1 + large, 8)}).log_sum_exp, 0.98);
  expect_tight(shares_of(two, numerics, {1, ln_2 * std::pow(1 + large, 5)}).log_sum_exp, 0.98);
  numerics = in_doubles();
  numerics.output.log_error = large;
  expect_tight(shares_of(two, numerics, {1, ln_2 * (1 + large)}).log_sum_exp, 0.98);
  numerics = in_doubles();
  numerics.output.log_sum_exp_roundoff = large;
  expect_tight(shares_of(one, numerics, {1, 100 * (1 + large)}).log_sum_exp, 0.98);
}

/// Cast weights that the denominator sums: all alike show in log_sum_exp only.
TEST(WeightTightness, CastWeightsInTheDenominator) {
  Numerics numerics = in_doubles();
  numerics.weight.cast = {.roundoff = large, .largest = 1e300};
  numerics.weight.denominator_sums_cast = true;
  expect_tight(shares(numerics, {0, 0}, {1, 1}, {-large, -large}).log_sum_exp, 0.98);
  expect_tight(shares(numerics, {0, 0}, {1, -1}, {large, -large}).out, 0.98);
}

}  // namespace
}  // namespace attestone::emulation
