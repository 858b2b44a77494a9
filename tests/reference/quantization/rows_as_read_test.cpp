// SPDX-License-Identifier: Apache-2.0
// What a judge takes codes for, against a second implementation in numpy; and means, and rows that are not finite.
#include "reference/quantization/rows_as_read.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "tests/codes_oracle.hpp"
#include "tests/effort.hpp"
#include "tests/smoothing_oracle.hpp"

namespace attestone {
namespace {

TEST(RowsAsRead, AreWhatNumpySays) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed)
    for_each_told(seed, [](const ToldCodes& told) {
      const std::vector<double> rows(told.rows.begin(), told.rows.end());
      const RowsAsRead ours = rows_as_read(rows, told.channels, {told.rule, told.sharing, told.count}, dtype("f32"), 1);
      for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(ours.numbers[i], double{told.number(i)} * double{told.scales[i]})
            << told.name << " " << i << ", of " << std::hexfloat << rows[i];
    });
}

/// A mean of a head, of a batch, and one that counts rows of zeros. What leaves f16 stands for anything.
TEST(RowsAsRead, LoseTheirMeanAsNumpySays) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed)
    for_each_told_smoothing(seed, [](const ToldSmoothing& told) {
      const std::vector<double> all(told.rows.begin(), told.rows.end());
      std::size_t at = 0;
      for (const index length : told.lengths) {
        const auto count = static_cast<std::size_t>(length * told.channels);
        const RowsAsRead ours =
            rows_as_read(std::span(all).subspan(at, count), told.channels, told.codes, told.format, 1, all);
        for (std::size_t c = 0; c < ours.mean.size(); ++c) ASSERT_EQ(ours.mean[c], double{told.mean[c]}) << told.name;
        for (std::size_t i = 0; i < count; ++i, ++at)
          ASSERT_EQ(ours.numbers[i], double{told.number(at)} * double{told.scales[at]})
              << told.name << at << ", of " << std::hexfloat << told.rows[at];
      }
    });
}

OperandCodes by_rows(Centring centring, index count = 2) {
  return {CodeRule::int8_block, ScaleSharing::rows, count, centring};
}

/// The mean 128.50390625 is 129 in bf16, and 1.0078125 - 129 is -128 there.
TEST(RowsAsRead, LessTheirMean) {
  const std::vector<double> rows{1.0078125, 256};
  const RowsAsRead rounded = rows_as_read(rows, 1, by_rows(Centring::rounded, 1), dtype("bf16"), 1);
  const RowsAsRead in_f32 = rows_as_read(rows, 1, by_rows(Centring::in_f32, 1), dtype("bf16"), 1);
  EXPECT_EQ(rounded.mean, (std::vector<double>{129}));
  EXPECT_EQ(in_f32.mean, (std::vector<double>{129}));
  // One number to a scale: 127 steps of a scale that is rounded to f32.
  EXPECT_NEAR(rounded.numbers[0], -128, 128 * 0x1p-24);
  EXPECT_NEAR(in_f32.numbers[0], -127.9921875, 128 * 0x1p-24);
  for (const RowsAsRead& read : {rounded, in_f32}) EXPECT_NEAR(read.numbers[1], 127, 127 * 0x1p-24);
}

/// Three rows of 4 and one of zeros have the mean 3; of four rows by twos, the first two are whole.
TEST(RowsAsRead, LessAMeanThatCountsPadding) {
  OperandCodes codes = by_rows(Centring::rounded, 1);
  codes.mean_padding = 4;
  EXPECT_EQ(rows_as_read(std::vector<double>{4, 4, 4}, 1, codes, dtype("f16"), 1).mean, (std::vector<double>{3}));
  codes.mean_rows = codes.mean_padding = 2;
  EXPECT_EQ(rows_as_read(std::vector<double>{4, 6, 4}, 1, codes, dtype("f16"), 1).mean, (std::vector<double>{5, 2}));
}

/// 4, 4, 4 less 3 is 1; the row of zeros is -3, and makes the scale.
TEST(RowsAsRead, ShareScalesWithPadding) {
  OperandCodes codes{CodeRule::e4m3, ScaleSharing::channel, 1, Centring::rounded};
  codes.mean_padding = 4;
  const RowsAsRead read = rows_as_read(std::vector<double>{4, 4, 4}, 1, codes, dtype("f16"), 1);
  EXPECT_EQ(read.numbers.size(), 3);
  EXPECT_EQ(read.before, (std::vector<double>{1, 1, 1}));
  const double scale = static_cast<float>(3.0 / 448);
  EXPECT_EQ(read.numbers[0], 144 * scale) << "448 / 3 = 149.3, between 144 and 160";
}

/// The third of 1 is no number of bf16, nor is what 1 loses.
TEST(RowsAsRead, LessAMeanInF32) {
  OperandCodes codes = by_rows(Centring::whole_in_f32, 1);
  const RowsAsRead read = rows_as_read(std::vector<double>{1, 0, 0}, 1, codes, dtype("bf16"), 1);
  EXPECT_EQ(read.mean[0], double{1.0f / 3});
  EXPECT_EQ(read.before[0], double{1.0f - 1.0f / 3});
  codes.centring = Centring::in_f32;
  EXPECT_EQ(rows_as_read(std::vector<double>{1, 0, 0}, 1, codes, dtype("bf16"), 1).mean[0], 0x1.56p-2);
}

/// A batch of two sequences, of one and of three rows, has the mean 5: each sequence loses it.
TEST(RowsAsRead, LessTheMeanOfABatch) {
  OperandCodes codes = by_rows(Centring::rounded, 1);
  codes.mean_of_batch = true;
  const std::vector<double> batch{8, 4, 6, 2};
  EXPECT_EQ(rows_as_read(std::span(batch).first(1), 1, codes, dtype("f16"), 1, batch).before, std::vector<double>{3});
  const RowsAsRead second = rows_as_read(std::span(batch).last(3), 1, codes, dtype("f16"), 1, batch);
  EXPECT_EQ(second.before, (std::vector<double>{-1, 1, -3}));
  EXPECT_EQ(second.mean, std::vector<double>{5});
  EXPECT_EQ(rows_as_read({}, 1, codes, dtype("f16"), 1, batch).mean, std::vector<double>{5});
  codes.mean_padding = 16;
  EXPECT_EQ(rows_as_read(std::span(batch).first(1), 1, codes, dtype("f16"), 1, batch).before, std::vector<double>{3})
      << "rows of zeros are more than the batch has";
  codes.mean_padding = 1;
  codes.mean_of_batch = false;
  EXPECT_EQ(rows_as_read({}, 1, codes, dtype("f16"), 1).mean, std::vector<double>{0}) << "of no rows";
}

/// A fixed scale stays, whatever rows hold: larger numbers saturate, and NaN changes no other number.
TEST(RowsAsRead, HaveAFixedScale) {
  OperandCodes codes{CodeRule::e4m3, ScaleSharing::head};
  codes.fixed_largest = 2;
  const double scale = static_cast<float>(2.0 / 448), nan = std::nan("");
  const RowsAsRead read = rows_as_read(std::vector<double>{1, 5, -INFINITY, nan, 0}, 1, codes, dtype("f16"), 1);
  EXPECT_EQ(read.numbers[0], 224 * scale);
  EXPECT_EQ(read.numbers[1], 448 * scale);
  EXPECT_EQ(read.numbers[2], -448 * scale);
  EXPECT_TRUE(std::isnan(read.numbers[3]));
  EXPECT_EQ(read.numbers[4], 0);
  codes.rule = CodeRule::int8_cuda;
  EXPECT_EQ(rows_as_read(std::vector<double>{-5}, 1, codes, dtype("f16"), 1).numbers[0],
            -128 * double{static_cast<float>(2.0 / 127)});
}

/// 1 becomes 127 / 128 where scales are over 128, and -1 itself: integers end at -128. Ties are 2.5 steps.
TEST(RowsAsRead, SaturateOver128) {
  for (const CodeRule rule : {CodeRule::int8_block_128, CodeRule::int8_cuda_128}) {
    const std::vector<double> rows{1, -1, 0.5, 0x1.4p-6};
    const double tie = rule == CodeRule::int8_block_128 ? 3 : 2;
    EXPECT_EQ(rows_as_read(rows, 1, {rule}, dtype("f32"), 1).numbers,
              (std::vector<double>{127.0 / 128, -1, 0.5, tie / 128}));
    EXPECT_EQ(coarseness({rule}), (1 + 0x1p-16) / 128);
  }
}

/// Codes in f16 have no scale: 2049 lies in the middle of two, and is rounded to the even one.
TEST(RowsAsRead, AsHalf) {
  const OperandCodes codes{CodeRule::f16, ScaleSharing::channel};
  EXPECT_EQ(rows_as_read(std::vector<double>{2049, 0x1p-26, 3}, 1, codes, dtype("bf16"), 1).numbers,
            (std::vector<double>{2048, 0, 3}));
}

TEST(RowsAsRead, AreMultipliedBefore) {
  const std::vector<double> rows{1, -3};
  const RowsAsRead read = rows_as_read(rows, 1, by_rows(Centring::none), dtype("f16"), 2.5);
  EXPECT_NEAR(read.numbers[1], -7.5, 7.5 * 0x1p-24);
  EXPECT_NEAR(read.numbers[0], 2.5, 7.5 / 254 * (1 + 0x1p-20));  // half a step; scale and quotient are f32
}

/// Where the scale is so small that it is rounded by much: integers end at 127.
TEST(RowsAsRead, SaturateBelowTheNormalRange) {
  const double smallest = dtype("f32").smallest_subnormal();
  const std::vector<double> rows{143 * smallest, -143 * smallest};
  const RowsAsRead read = rows_as_read(rows, 1, by_rows(Centring::none), dtype("f32"), 1);
  EXPECT_EQ(read.numbers, (std::vector<double>{127 * smallest, -128 * smallest}));
}

/// A kernel whose mean is another number has other codes, and no other than the slack says.
TEST(RowsAsRead, HaveSlackWhereTheMeanMayBeAnother) {
  std::mt19937_64 random(20261127);
  index moved = 0;
  double most = 0;
  for (index turn = 0; turn < effort(200, 10000); ++turn) {
    const index rows = 2 + static_cast<index>(random() % 70), channels = 1 + static_cast<index>(random() % 6);
    const DType& format = dtype(turn % 2 == 0 ? "bf16" : "f16");
    std::vector<double> numbers(static_cast<std::size_t>(rows * channels));
    for (double& x : numbers) x = format.round(std::normal_distribution<double>(0.5, 1)(random));
    OperandCodes codes{turn % 3 == 0 ? CodeRule::e4m3 : CodeRule::int8_thread, ScaleSharing::rows, 8,
                       turn % 5 < 3 ? Centring::rounded : Centring::in_f32, 0};
    const RowsAsRead exact = rows_as_read(numbers, channels, codes, format, 1);
    EXPECT_TRUE(exact.slack.empty());
    codes.mean_error = 0x1p-9;
    const RowsAsRead read = rows_as_read(numbers, channels, codes, format, 1);
    EXPECT_EQ(read.numbers, exact.numbers);
    // Another kernel's mean: each at the far end of where it may be.
    std::vector<double> other_mean = exact.mean;
    const auto width = static_cast<std::size_t>(channels);
    for (std::size_t c = 0; c < width; ++c) {
      double sum = 0, size = 0;
      for (std::size_t at = c; at < numbers.size(); at += width) sum += numbers[at], size += std::abs(numbers[at]);
      const auto count = static_cast<double>(rows);
      other_mean[c] = format.round(sum / count + (random() % 2 == 0 ? 1 : -1) * codes.mean_error * size / count);
      EXPECT_LE(std::abs(other_mean[c] - exact.mean[c]), read.mean_gap[c]);
    }
    std::vector<double> centred = numbers;
    const DType& of_difference = codes.centring == Centring::rounded ? format : dtype("f32");
    for (std::size_t at = 0; at < centred.size(); ++at)
      centred[at] = of_difference.round(numbers[at] - other_mean[at % width]);
    const RowsAsRead other =
        rows_as_read(centred, channels, {codes.rule, codes.sharing, codes.count, Centring::none, 0}, of_difference, 1);
    for (std::size_t at = 0; at < centred.size(); ++at) {
      const double apart = std::abs(other.numbers[at] - exact.numbers[at]);
      const double slack = read.slack.empty() ? 0 : read.slack[at];
      ASSERT_LE(apart, slack) << "turn " << turn << " element " << at;
      if (apart > 0) ++moved, most = std::max(most, apart / slack);
    }
  }
  EXPECT_GT(moved, 100);
  EXPECT_GT(most, 0.3);
}

/// x / scale (1 + off) of three rules, as a kernel makes codes that divides worse than f32 does.
double made_by_another(CodeRule rule, double x, double largest, double off) {
  const auto quotient = [&](double target) {
    return rule == CodeRule::int8_block ? x / static_cast<float>(largest / target) * (1 + off)
                                        : x * static_cast<float>(target / largest) * (1 + off);
  };
  if (rule == CodeRule::e4m3)
    return dtype("e4m3").round(std::clamp(quotient(448), -448.0, 448.0)) * static_cast<float>(largest / 448);
  const double q = quotient(127);
  const double code = rule == CodeRule::int8_block ? std::trunc(q + std::copysign(0.5, q)) : std::nearbyint(q);
  return std::clamp(code, -128.0, 127.0) * static_cast<float>(largest / 127);
}

/// Codes may be others where a quotient lies beside the middle of two of them, and there alone.
TEST(RowsAsRead, HaveSlackWhereAQuotientMayBeAnother) {
  std::mt19937_64 random(20261128);
  constexpr double error = 0x1p-21;
  index differ = 0, known = 0;
  for (index turn = 0; turn < effort(300, 20000); ++turn) {
    const CodeRule rule = std::array{CodeRule::int8_block, CodeRule::int8_cuda, CodeRule::e4m3}[turn % 3];
    const double target = rule == CodeRule::e4m3 ? 448 : 127;
    std::vector<double> rows{std::ldexp(1 + static_cast<double>(random() % 1024) / 1024, 1)};
    for (int i = 0; i < 40; ++i) {
      const bool between = random() % 2 == 0;  // halves lie in the middle of codes up to 16 of e4m3, too
      const double code = static_cast<double>(random() % (rule == CodeRule::e4m3 ? 8 : 127)) + (between ? 0.5 : 0.25);
      rows.push_back(static_cast<float>(code / target * rows[0]) * (random() % 2 == 0 ? 1 : -1));
    }
    OperandCodes codes{rule, ScaleSharing::head};
    const RowsAsRead exact = rows_as_read(rows, 1, codes, dtype("f32"), 1);
    EXPECT_TRUE(exact.slack.empty());
    codes.quotient_error = error;
    const RowsAsRead read = rows_as_read(rows, 1, codes, dtype("f32"), 1);
    EXPECT_EQ(read.numbers, exact.numbers);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      // Half a unit of f32 is what the quotient is rounded by before that.
      for (const double off : {-error + 0x1p-24, error - 0x1p-24}) {
        const double apart = std::abs(made_by_another(rule, rows[at], rows[0], off) - read.numbers[at]);
        ASSERT_LE(apart, read.slack[at] * (1 + 0x1p-20)) << "turn " << turn << " element " << at;
        differ += apart > 0 ? 1 : 0;
      }
      known += read.slack[at] == 0 ? 1 : 0;
      ASSERT_LE(read.slack[at], 2 * coarseness(codes) * rows[0]);
    }
  }
  EXPECT_GT(differ, 1000);
  EXPECT_GT(known, 1000);
}

/// A number that is not finite takes its group with it, and no other.
TEST(RowsAsRead, ThatAreNotFinite) {
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> rows{1, x, 2, 3};
    const RowsAsRead read = rows_as_read(rows, 1, by_rows(Centring::none), dtype("f32"), 1);
    EXPECT_TRUE(std::isnan(read.numbers[0]) && std::isnan(read.numbers[1]));
    EXPECT_TRUE(std::isfinite(read.numbers[2]) && std::isfinite(read.numbers[3]));
    const RowsAsRead centred = rows_as_read(rows, 1, by_rows(Centring::rounded), dtype("bf16"), 1);
    for (const double each : centred.numbers) EXPECT_TRUE(std::isnan(each));
  }
}

}  // namespace
}  // namespace attestone
