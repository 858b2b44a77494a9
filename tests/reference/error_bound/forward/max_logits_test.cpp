// SPDX-License-Identifier: Apache-2.0
// The bound of max_logits: no worst choice of errors leaves it, it is reached, and keys that cannot win do not widen
// it.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "reference/error_bound/forward/forward_row.hpp"
#include "tests/effort.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

/// Scores alone err, each by a share of itself; whatever follows is exact.
Numerics erring_scores(double roundoff) {
  Numerics numerics = in_doubles();
  numerics.score.stored.roundoff = roundoff;
  numerics.output.accumulator.roundoff = numerics.output.log_sum_exp_roundoff = 0;
  return numerics;
}

double largest(const std::vector<double>& scores) { return *std::max_element(scores.begin(), scores.end()); }

double bound_of(const OneRow& row, const Numerics& numerics) {
  const ForwardBound bound(row.problem, row.inputs, numerics);
  return bound.row(0, 0, 0)->max_logits();
}

TEST(MaxLogitsBound, HoldsForEveryChoiceOfErrors) {
  std::mt19937_64 random(7);
  const auto between = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  double worst = 0;
  for (index n = 0; n < effort(3000, 100'000); ++n) {
    std::vector<double> scores(1 + random() % 6);
    const double size = std::exp2(between(-4, 6)), middle = between(-3, 3);
    for (double& score : scores) score = size * (middle + between(-1, 1) * std::exp2(between(-12, 0)));
    const OneRow row(scores, std::vector<double>(scores.size(), 1.0));
    const Numerics numerics = erring_scores(0x1p-6);
    const DecodedInputs decoded(row.problem, row.inputs);
    const ForwardRow bounds(decoded, numerics, 0, 0, 0);
    for (int choice = 0; choice < 8; ++choice) {
      std::vector<double> erring = scores;
      for (std::size_t j = 0; j < erring.size(); ++j)
        erring[j] += bounds.scores().error[j] * (choice == 0 ? 1 : choice == 1 ? -1 : random() % 2 ? 1.0 : -1.0);
      const double share = std::abs(largest(erring) - largest(scores)) / bounds.max_logits();
      ASSERT_LE(share, 1 + 1e-9) << row.problem.text() << " of " << fmt::format("{}", scores[0]);
      worst = std::max(worst, share);
    }
  }
  EXPECT_GT(worst, 0.99);
}

TEST(MaxLogitsBound, KeysThatCannotWinDoNotCount) {
  const Numerics numerics = erring_scores(0x1p-6);
  EXPECT_NEAR(bound_of(OneRow({1, -64}, {1, 1}), numerics), 0x1p-6, 1e-9);  // an error of 1 at -64
  EXPECT_NEAR(bound_of(OneRow({1, -64, 1.02}, {1, 1, 1}), numerics), 1.02 * 0x1p-6, 1e-9);
  EXPECT_NEAR(bound_of(OneRow({-64, -66}, {1, 1}), numerics), 66 * 0x1p-6, 1e-6);  // which may win
  EXPECT_NEAR(bound_of(OneRow({-64, -67}, {1, 1}), numerics), 64 * 0x1p-6, 1e-6);  // which may not
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
