// SPDX-License-Identifier: Apache-2.0
// The gain and its bound.
#include "reference/error_bound/gain.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace attestone {
namespace {

constexpr double u = 0x1p-9;

/// One row with one channel, whose answer and one weight are rounded.
GainTerms terms(double size, double exponent, double cast) {
  GainTerms row;
  row.casts = {{{exponent, cast}}};
  row.outputs = {{std::log(size), u * size * size}};
  row.cast_roundoff = row.output_roundoff = u;
  return row;
}

TEST(Gain, IsTheShareOfTheTruth) {
  Gain gain;
  const std::vector<double> truth{3, -4}, half{1.5, -2};
  gain.add(truth, half, {.casts = {}, .outputs = {}, .others = 5});
  EXPECT_DOUBLE_EQ(gain.gain(), 0.5);
  EXPECT_DOUBLE_EQ(gain.bound(), 0.2);
}

TEST(Gain, SaysNothingAboutZeros) {
  Gain gain;
  const std::vector<double> zero{0};
  gain.add(zero, zero, {});
  EXPECT_FALSE(gain.says_anything());
}

/// 10000 different rows: lambda sqrt(n) of n; the same row over and over: all of it.
TEST(Gain, OnlyDifferentCellsAddInQuadrature) {
  constexpr int rows = 10000;
  const std::vector<double> one{1};
  Gain different, equal;
  for (int row = 0; row < rows; ++row) {
    different.add(one, one, terms(std::exp(0.01 * row), -0.01 * row, u));
    equal.add(one, one, terms(1, -1, u));
  }
  EXPECT_NEAR(equal.bound(), 2 * u, 1e-12);
  Gain casts_only;
  for (int row = 0; row < rows; ++row)
    casts_only.add(
        one, one,
        {.casts = {{{-0.01 * row, u}}}, .outputs = {}, .others = 0, .cast_roundoff = u, .output_roundoff = u});
  EXPECT_NEAR(casts_only.bound(), lambda * u / std::sqrt(rows), 1e-12);
}

/// Tied weights are cast alike in every row, however different the rows are otherwise.
TEST(Gain, TiedWeightsOfDifferentRowsAddLinearly) {
  const std::vector<double> one{1};
  Gain gain;
  for (int row = 0; row < 1000; ++row)
    gain.add(one, one, {.casts = {{{-2, u}}}, .outputs = {}, .others = 0, .cast_roundoff = u, .output_roundoff = u});
  EXPECT_NEAR(gain.bound(), u, 1e-12);
}

/// So may whatever lies within one cell of the rounding, 2 u wide.
TEST(Gain, ACellAddsLinearly) {
  const std::vector<double> one{1};
  Gain casts, outputs;
  for (int row = 0; row < 1000; ++row) {
    const double place = -2 + 2 * u * row / 1000;
    casts.add(one, one, {.casts = {{{place, u}}}, .outputs = {}, .others = 0, .cast_roundoff = u});
    outputs.add(one, one, {.casts = {}, .outputs = {{place, u}}, .others = 0, .output_roundoff = u});
  }
  EXPECT_NEAR(casts.bound(), u, 1e-12);
  EXPECT_NEAR(outputs.bound(), u, 1e-12);
}

/// The least favourable order of the keys counts.
TEST(Gain, TakesTheWorstOrderOfTheKeys) {
  const std::vector<double> one{1};
  Gain gain;
  for (int row = 0; row < 1000; ++row)
    gain.add(one, one,
             {.casts = {{{-0.1 * row, u}}, {{-2, u}}},
              .outputs = {},
              .others = 0,
              .cast_roundoff = u,
              .output_roundoff = u});
  EXPECT_NEAR(gain.bound(), u, 1e-12);
}

/// Without sorting or with it: whether something lies below the bound, and the bound below something else.
TEST(Gain, TellsWhereItsBoundLies) {
  std::mt19937 random(7);
  for (const int rows : {1, 20, 81, 82, 400, 3000})
    for (const double others : {0.0, 0.3, -0.001})
      for (const bool tied : {false, true}) {
        Gain gain;
        for (int row = 0; row < rows; ++row) {
          const double size = tied ? 1 : std::exp(std::uniform_real_distribution(-2.0, 2.0)(random));
          GainTerms one = terms(size, -std::uniform_real_distribution(0.0, 9.0)(random), tied ? 0 : u * size);
          one.others = others;
          gain.add(std::vector{size}, std::vector{size}, one);
        }
        const double bound = gain.bound();
        for (const double low : {0.0, 0.5, 1 - 1e-15, 1.0, 1 + 1e-15, 1.5, 4.0})
          for (const double high : {0.5, 1 - 1e-15, 1.0, 1 + 1e-15, 1.5, 40.0})
            EXPECT_EQ(gain.bound_lies_in(low * bound, high * bound), low * bound <= bound && bound < high * bound)
                << rows << " rows, " << low << " to " << high;
      }
}

}  // namespace
}  // namespace attestone
