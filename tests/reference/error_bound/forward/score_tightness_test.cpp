// SPDX-License-Identifier: Apache-2.0
// Two keys of the same score err against each other, by as much as one step from q and k to a score may: the bound
// holds, and is not much larger than that.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

/// The exact answer for two scores, with V = 1 and -1.
Answered weighted(long double first, long double second) {
  const long double x = std::exp(second - first), weight = (1 - x) / (1 + x);
  return {static_cast<double>(weight), static_cast<double>(first + std::log1p(x))};
}

/// The answer after `roundings` roundings of each score: of the first one up, of the second one down.
Answered rounded(double score, double size, int roundings) {
  return weighted(score * std::pow(1 + size, roundings), score * std::pow(1 - size, roundings));
}

RowShares shares(const std::string& more, double score, double logit, const Numerics& numerics, const Answered& got) {
  OneRow row({score, score}, {1, -1}, more);
  if (row.inputs.bias)
    for (index j = 0; j < 2; ++j) row.inputs.bias->view().set(0, 0, 0, j, logit);
  return shares_of(row, numerics, got);
}

void expect_tight(const RowShares& got, double least) {
  EXPECT_LE(got.out, 1);
  EXPECT_GE(got.out, least);
}

/// The query is scaled, one product, and four of the scale; for one product a sum has none.
TEST(ScoreTightness, ScaleAndOneProduct) {
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = large;
  expect_tight(shares("scale=1", 3, 0, numerics, rounded(3, large, 6)), 0.98);
}

/// The first of four products goes through all additions.
TEST(ScoreTightness, SumOfManyProducts) {
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = large;
  OneRow row("shape=1x1x1x2x4:1 dtype=f64 scale=1");
  for (index c = 0; c < 4; ++c) row.inputs.query.view().set(0, 0, 0, c, c == 0 ? 3 : 0x1p-30);
  for (index j = 0; j < 2; ++j) {
    for (index c = 0; c < 4; ++c) row.inputs.key.view().set(0, 0, j, c, 1);
    row.inputs.value.view().set(0, 0, j, 0, j == 0 ? 1 : -1);
  }
  expect_tight(shares_of(row, numerics, rounded(3, large, 9)), 0.98);
}

TEST(ScoreTightness, OperandsRoundedAgain) {
  Numerics numerics = in_doubles();
  numerics.score.operand_roundoff = large;
  expect_tight(shares("scale=1", 3, 0, numerics, rounded(3, large, 2)), 0.98);
}

TEST(ScoreTightness, QueryScaledBefore) {
  Numerics numerics = in_doubles();
  numerics.score.prescale.roundoff = large;
  expect_tight(shares("scale=1", 3, 0, numerics, rounded(3, large, 1)), 0.98);
  numerics.score.prescale = {.underflow = large};  // of a query of 1: as large as the key
  expect_tight(shares("scale=1", 3, 0, numerics, weighted(3 * (1 + large), 3 * (1 - large))), 0.98);
}

TEST(ScoreTightness, StoredScores) {
  Numerics numerics = in_doubles();
  numerics.score.stored.roundoff = large;
  expect_tight(shares("scale=1", 3, 0, numerics, rounded(3, large, 1)), 0.98);
  numerics.score.stored = {.underflow = large, .largest = 1e300};
  expect_tight(shares("scale=1", 3, 0, numerics, weighted(3 + large, 3 - large)), 0.98);
}

/// tanh is the identity near 0: five roundings of its argument beside those of the product, and four behind it.
TEST(ScoreTightness, RoundingsOfASoftcap) {
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = large;
  const double s = 8 * std::tanh(0x1p-10);
  expect_tight(shares("scale=1 score=softcap:8", 0x1p-7, 0, numerics, rounded(s, large, 2 + 5 + 4)), 0.98);
}

TEST(ScoreTightness, HyperbolicTangent) {
  Numerics numerics = in_doubles();
  numerics.score.tanh_error = large;
  expect_tight(shares("scale=1 score=softcap:1", 20, 0, numerics, rounded(1, large, 1)), 0.98);
}

/// Read, divided by the scale, and the four of the scale; then the addition.
TEST(ScoreTightness, BiasAndItsAddition) {
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = large;
  const double up = 8 * std::pow(1 + large, 6), down = 8 * std::pow(1 - large, 6);
  expect_tight(shares("scale=1 score=bias:full", 0, 8, numerics, weighted(up, down)), 0.98);
}

TEST(ScoreTightness, SinkShowsInLogSumExp) {
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = large;
  OneRow row({0}, {1}, "scale=1 score=sink:head");
  row.inputs.sink->view().set(0, 0, 0, 0, 30);
  const double sink = 30 * std::pow(1 + large, 5);
  const RowShares got = shares_of(row, numerics, {std::exp(-sink), sink + std::log1p(std::exp(-sink))});
  EXPECT_LE(got.log_sum_exp, 1);
  EXPECT_GE(got.log_sum_exp, 0.98);
}

/// A query below the normal range is read as zero: that loses a whole product with a large key.
TEST(ScoreTightness, OperandsThatAreFlushed) {
  constexpr double eta = 0x1p-40, key = 0x1p14;
  Numerics numerics = in_doubles();
  numerics.score.accumulator.underflow = eta;
  OneRow row({key, 0}, {1, -1}, "scale=64");
  row.inputs.query.view().set(0, 0, 0, 0, eta);
  expect_tight(shares_of(row, numerics, weighted(0, 0)), 0.45);
}

/// Products of many channels, each of which is lost.
TEST(ScoreTightness, ProductsThatUnderflow) {
  constexpr double eta = 0x1p-20, factor = 0x1p-10;
  Numerics numerics = in_doubles();
  numerics.score.accumulator.underflow = eta;
  OneRow row("shape=1x1x1x2x100:1 dtype=f64 scale=1");
  for (index c = 0; c < 100; ++c) {
    row.inputs.query.view().set(0, 0, 0, c, factor);
    for (index j = 0; j < 2; ++j) row.inputs.key.view().set(0, 0, j, c, j == 0 ? factor : -factor);
  }
  for (index j = 0; j < 2; ++j) row.inputs.value.view().set(0, 0, j, 0, j == 0 ? 1 : -1);
  expect_tight(shares_of(row, numerics, weighted(0, 0)), 0.45);
}

}  // namespace
}  // namespace attestone::emulation
