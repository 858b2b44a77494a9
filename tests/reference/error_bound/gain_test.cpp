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

/// In units of the size: what is taken at its worst, and u times each rounding; what different windows add, squared.
TEST(Gain, IsASampleOfErrors) {
  Gain gain;
  const std::vector<double> two{2}, answer{2.5};
  for (int row = 0; row < 100; ++row)
    gain.add(two, answer,
             {.casts = {{{-0.1 * row, 0.25}}},
              .outputs = {{0.1 * row, 0.5}},
              .others = 0.125,
              .beside_grid = 0.25,
              .cast_roundoff = u,
              .output_roundoff = 2 * u});
  const GainDeviation sample = gain.deviation();
  EXPECT_DOUBLE_EQ(sample.error, 0.25);
  EXPECT_DOUBLE_EQ(sample.systematic, (0.125 + 0.25 + u * 0.25 + 2 * u * 0.5) / 4);
  EXPECT_NEAR(sample.variance, (0.25 * 0.25 + 0.5 * 0.5) / (100 * 16), 1e-15);
}

/// Another direction than the truth: errors that go up and down cancel along it, and one component counts alone.
TEST(Gain, GoesAlongAnyDirection) {
  const std::vector<double> truth{3, -4}, answer{3.5, -3.5}, ones{1, 1}, second{0, -4};
  Gain mean, part;
  GainTerms terms;
  terms.others = 7;
  mean.add(truth, answer, ones, terms);
  EXPECT_DOUBLE_EQ(mean.gain(), 1 + 1.0 / 7);
  EXPECT_DOUBLE_EQ(mean.bound(), 1);
  part.add(truth, answer, second, {});
  EXPECT_DOUBLE_EQ(part.gain(), 3.5 / 4);
}

/// The roundoff of bf16 is one to nearest, that of bf16 cut off is not.
TEST(Gain, TakesTruncationAtItsWorst) {
  for (const bool truncates : {false, true}) {
    GainTerms all{.casts = {{{0, 1}, {1, 2}}, {{0, 4}}}, .outputs = {{0, 8}}, .others = 16};
    all.cast_roundoff = all.output_roundoff = truncates ? 0x1p-7 : 0x1p-8;
    leave_what_truncates(all);
    EXPECT_EQ(all.others, truncates ? 16 + 8 + 4 : 16);
    EXPECT_EQ(all.outputs.empty(), truncates);
  }
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
