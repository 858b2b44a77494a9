// SPDX-License-Identifier: Apache-2.0
// Windows at their worst: as many cells of a rounding as lambda^2 err alike, or one cell does, however many numbers are
// in it.
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

/// Casts in many more cells than that: nine standard deviations, and no kernel comes near.
TEST(LikelyTightness, ManyCellsOfCastsAreIndependent) {
  BareRow row = of_one_size(2000, -1, 4);
  row.numerics.weight.cast.roundoff = 0x1p-12;
  const auto answer = static_cast<double>(exact_answer(row));
  const double likely = 9 / std::sqrt(2000) * 0x1p-12 * answer;
  EXPECT_NEAR(shares(row, answer + likely).probabilistic, 1, 1e-6);
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

TEST(LikelyTightness, StoredScoresOfOneCellErrAlike) {
  constexpr double u = 0x1p-12;
  std::vector<double> scores, values;
  for (int j = 0; j < 2000; ++j) {
    scores.push_back((j % 2 ? 1 : -1) * std::exp(2 * u * j / 2000));
    values.push_back((j % 2 ? std::exp(-1) : -std::exp(1)));
  }
  BareRow row(scores, values);
  row.numerics.score.stored.roundoff = u;
  expect_reached(row, {.scores = all(row)}, {0.95, 0.95});
}

}  // namespace
}  // namespace attestone::emulation
