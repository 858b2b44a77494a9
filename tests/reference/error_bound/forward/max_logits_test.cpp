// SPDX-License-Identifier: Apache-2.0
// The bound of max_logits: no worst choice of errors leaves it, it is reached, and keys that cannot win do not widen
// it.
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <random>

#include "reference/error_bound/forward/forward_row.hpp"
#include "tests/effort.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

/// Scores alone err, each by a share of itself, or where they are added up; whatever follows is exact.
Numerics erring_scores(double roundoff, double of_sums = 0x1p-53) {
  Numerics numerics = in_doubles();
  numerics.score.stored.roundoff = roundoff;
  numerics.score.accumulator.roundoff = of_sums;
  numerics.output.accumulator.roundoff = numerics.output.log_sum_exp_roundoff = 0;
  return numerics;
}

double largest(const std::vector<double>& scores) { return *std::max_element(scores.begin(), scores.end()); }

double bound_of(const OneRow& row, const Numerics& numerics) {
  const ForwardBound bound(row.problem, row.inputs, numerics);
  return bound.row(0, 0, 0)->max_logits();
}

/// One query; what cancels in a score makes its error, however small it is itself.
OneRow cancelling(const std::vector<double>& scores, std::mt19937_64& random) {
  OneRow row(fmt::format("shape=1x1x1x{}x2 dtype=f64 scale=1", scores.size()));
  for (index c = 0; c < 2; ++c) row.inputs.query.view().set(0, 0, 0, c, 1);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double cancels = std::ldexp(1.0, static_cast<int>(random() % 12) - 4);
    row.inputs.key.view().set(0, 0, static_cast<index>(j), 0, scores[j] + cancels);
    row.inputs.key.view().set(0, 0, static_cast<index>(j), 1, -cancels);
  }
  return row;
}

TEST(MaxLogitsBound, HoldsForEveryChoiceOfErrors) {
  std::mt19937_64 random(7);
  const auto sign = [&] { return random() % 2 ? 1.0 : -1.0; };
  double worst = 0;
  for (index n = 0; n < effort(3000, 100'000); ++n) {
    std::vector<double> scores(1 + random() % 6);
    for (double& score : scores) score = sign() * std::ldexp(static_cast<double>(random() % 64), -4);
    const OneRow row = cancelling(scores, random);
    const DecodedInputs decoded(row.problem, row.inputs);
    const Numerics numerics = erring_scores(0, 0x1p-8);
    const ForwardRow bounds(decoded, numerics, 0, 0, 0);
    for (int choice = 0; choice < 8; ++choice) {
      std::vector<double> erring = scores;
      for (std::size_t j = 0; j < erring.size(); ++j)
        erring[j] += bounds.scores().error[j] * (choice == 0 ? 1 : choice == 1 ? -1 : sign());
      const double share = std::abs(largest(erring) - largest(scores)) / bounds.max_logits();
      ASSERT_LE(share, 1 + 1e-9) << fmt::format("scores {} erring {}", fmt::join(scores, " "), fmt::join(erring, " "));
      worst = std::max(worst, share);
    }
  }
  EXPECT_GT(worst, 0.99);
}

TEST(MaxLogitsBound, KeysThatCannotWinDoNotCount) {
  const Numerics numerics = erring_scores(0x1p-6);
  EXPECT_NEAR(bound_of(OneRow({1, -64}, {1, 1}), numerics), 0x1p-6, 1e-9);  // an error of 1 at -64
  EXPECT_NEAR(bound_of(OneRow({1, -64, 1.02}, {1, 1, 1}), numerics), 1.02 * 0x1p-6, 1e-9);
  EXPECT_NEAR(bound_of(OneRow({-64, -64.5}, {1, 1}), numerics), 64.5 * 0x1p-6, 1e-6);  // which may win
  EXPECT_NEAR(bound_of(OneRow({-64, -66}, {1, 1}), numerics), 64 * 0x1p-6, 1e-6);      // which may not
}

/// ln 2, and its product with the maximum; then the rounding to the format.
TEST(MaxLogitsBound, CountsWhatFollowsTheScores) {
  Numerics numerics = erring_scores(0);
  const OneRow row({3, 8}, {1, 1});
  numerics.output.accumulator.roundoff = large;
  EXPECT_NEAR(bound_of(row, numerics), 8 * 2 * large, 8 * 8 * large * large);
  numerics.output.accumulator.roundoff = 0;
  numerics.output.log_sum_exp_roundoff = large;
  EXPECT_NEAR(bound_of(row, numerics), 8 * large, 8 * 8 * large * large);
  numerics.output.log_sum_exp_roundoff = 0;
  numerics.merge.form = MergeForm::rescaled_sums;
  numerics.merge.parts = 2;
  numerics.merge.log_sum_exp_roundoff = large;
  EXPECT_NEAR(bound_of(row, numerics), 8 * large, 8 * 8 * large * large);
}

/// A sink that towers above all keys is none of them.
TEST(MaxLogitsBound, LeavesTheSinkOut) {
  OneRow row({1, 0.5}, {1, 1}, "scale=1 score=sink:head");
  row.inputs.sink->view().set(0, 0, 0, 0, 1000);
  EXPECT_NEAR(bound_of(row, erring_scores(0x1p-6)), 0x1p-6, 1e-9);
}

}  // namespace
}  // namespace attestone::emulation
