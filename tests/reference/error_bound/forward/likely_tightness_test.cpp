// SPDX-License-Identifier: Apache-2.0
// The probabilistic bound at its worst: as many cells of a rounding as lambda^2 err alike, or one cell does, however
// many numbers are in it; and sums that see nothing, lean, or hold more than the truth does.
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

/// n keys behind a leader of value 0, spread evenly over `spread`, all of one size p |v|; v is positive for every
/// second half of them.
BareRow of_one_size(std::size_t n, double from, double spread) {
  std::vector<double> scores{0}, values{0};
  for (std::size_t j = 0; j < n; ++j) {
    scores.push_back(from - spread * static_cast<double>(j) / static_cast<double>(n));
    values.push_back(std::exp(from - scores.back()));
  }
  return {scores, values};
}
std::vector<double> all(const BareRow& row) { return std::vector<double>(row.scores.size(), 1); }

TEST(LikelyTightness, EightyOneCellsOfCastsErrAlike) {
  BareRow row = of_one_size(81, -0.1, 0.5);
  row.numerics.weight.cast.roundoff = 0x1p-12;
  expect_reached(row, {.casts = all(row)}, {0.99, 0.99});
}

TEST(LikelyTightness, CastsOfOneCellErrAlike) {
  BareRow row = of_one_size(2000, -1, 2 * 0x1p-12);
  row.numerics.weight.cast.roundoff = 0x1p-12;
  expect_reached(row, {.casts = all(row)}, {0.99, 0.99});
}

/// In each of four parts, or between raises of the maximum, the same 81 exponents are cast.
TEST(LikelyTightness, TheSameCastsInEveryPart) {
  std::vector<double> scores, values;
  for (int part = 0; part < 4; ++part)
    for (int j = 0; j < 81; ++j) {
      scores.push_back(0.7 * part + 0.005 * (j + 1));
      values.push_back(std::exp(-scores.back()));
    }
  BareRow row(scores, values);
  row.numerics.weight.cast.roundoff = 0x1p-12;
  row.numerics.merge.form = MergeForm::rescaled_sums;
  row.numerics.merge.parts = 4;
  expect_reached(row, {.casts = all(row)}, {0.99, 0.99});
}

/// Two cells of scores, one for each sign of V, which err in opposite directions.
TEST(LikelyTightness, ScoresOfOneCellErrAlike) {
  constexpr double u = 0x1p-12;
  std::vector<double> scores, values;
  for (int j = 0; j < 2000; ++j) {
    scores.push_back((j % 2 ? 1 : -1) * (1 + u * 0.00025 * j));
    values.push_back((j % 2 ? std::exp(-1) : -std::exp(1)));
  }
  BareRow row(scores, values);
  row.numerics.score.accumulator.roundoff = u;
  expect_reached(row, {.scores = all(row)}, {0.95, 0.95});
}

TEST(LikelyTightness, StoredScores) {
  BareRow row({1, -1}, {1, -std::exp(2)});
  row.numerics.score.stored.roundoff = 0x1p-10;
  expect_reached(row, {.scores = all(row)}, {0.95, 0.95});
}

/// No sum is larger than one addend, and products round by more than additions.
TEST(LikelyTightness, ProductsOfValuesThatCancel) {
  BareRow row({0, 0, 0, 0}, {-1, 1, -1, 1});
  row.numerics.value.accumulator.roundoff = 0x1p-12;
  expect_reached(row, {.products = 1, .additions = 1}, {0.3, 0.6});
}

/// A sum that is large on its way from one end to the other, and 0 before and after.
TEST(LikelyTightness, SumsBetweenTwoKeysThatCancel) {
  std::vector<double> scores(66, 0), values(66, 0);
  values[0] = -1, values[65] = 1;
  for (std::size_t j = 1; j < 65; ++j) values[j] = j % 2 ? 0.003 : -0.003;
  BareRow row(scores, values);
  row.numerics.value.accumulator.roundoff = 0x1p-10;
  expect_reached(row, {.products = 1, .additions = 1}, {0.3, 0.85});
}

/// V cancels, in every stride of keys too, but not with weights that err: then the sum is larger than any of the truth.
TEST(LikelyTightness, SumsThatWrongWeightsMakeLarge) {
  std::vector<double> scores{0}, values{0}, signs{0};
  for (unsigned j = 0; j < 1000; ++j) {
    scores.push_back(j < 512 ? -0.001 : -3);
    values.push_back(std::popcount(j) % 2 ? 1 : -1);
    signs.push_back(j < 512 ? values.back() : 0);
  }
  BareRow row(scores, values);
  row.numerics.weight.exp_error = 0x1p-5;
  row.numerics.value.accumulator.roundoff = 0x1p-11;
  expect_reached(row, {.exponentials = signs, .products = 1, .additions = 1}, {0.04, 0.8});
}

/// Each rescaling of the online softmax rounds the sum once more.
TEST(LikelyTightness, RescalingsRoundTheSums) {
  std::vector<double> scores, values(8, 0.01);
  for (int j = 0; j < 8; ++j) scores.push_back(0.001 * j);
  values[0] = 1;
  BareRow sums(scores, values), denominators(scores, std::vector<double>(8, 1));
  sums.numerics.weight.tile_keys = denominators.numerics.weight.tile_keys = 1;
  sums.numerics.value.accumulator.roundoff = 0x1p-12;
  expect_reached(sums, {.products = 1, .additions = 1, .rescalings = 1}, {0.85, 0.85});
  denominators.numerics.weight.accumulator.roundoff = 0x1p-12;
  expect_reached(denominators, {.denominator = -1, .rescalings = 1}, {0.4, 0.4});
}

/// Addends that the sum before them swallows: smaller than a window, or one by one in different windows of one cell.
TEST(LikelyTightness, TailsThatASumNeverSees) {
  constexpr double u = 0x1p-12;
  for (const double size : {0.01, 0.4}) {
    std::vector<double> scores{0};
    for (int j = 0; j < 2000; ++j) scores.push_back(std::log(u * size * (1 + 0.0001 * j)));
    BareRow of_values(scores, std::vector<double>(scores.size(), 1)), of_weights = of_values;
    of_values.numerics.value.accumulator.roundoff = u;
    expect_reached(of_values, {.additions = -1}, {0, 0.9});
    of_weights.numerics.weight.accumulator.roundoff = u;
    expect_reached(of_weights, {.denominator = -1}, {0, 0.9});
  }
}

/// Addends of all sizes, cut by half of what cutting may take: their average.
TEST(LikelyTightness, TruncationDrifts) {
  constexpr double u = 0x1p-20;
  std::vector<double> scores{0};
  for (int j = 0; j < 4096; ++j) scores.push_back(std::log(u * (3 + 0.026 * j)));
  BareRow of_values(scores, std::vector<double>(scores.size(), 1)), of_weights = of_values;
  of_values.numerics.value.accumulator.truncates = of_weights.numerics.weight.accumulator.truncates = true;
  of_values.numerics.value.accumulator.roundoff = u;
  expect_reached(of_values, {.products = -0.5, .additions = -0.5}, {0.3, 0.6});
  of_weights.numerics.weight.accumulator.roundoff = u;
  expect_reached(of_weights, {.denominator = -0.5}, {0.3, 0.6});
}

}  // namespace
}  // namespace attestone::emulation
