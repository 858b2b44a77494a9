// SPDX-License-Identifier: Apache-2.0
// What a comparison makes of bounds that are known roughly at first: which answers would pass, and which is the worst.
#include <gtest/gtest.h>
#include <limits>

#include "tests/conformance/verdict/judged_problem.hpp"

namespace attestone {
namespace {

TEST(CompareWeakCases, ZerosPassWhereTheTruthIsZero) {
  Judged judged("shape=1x1x3x20x16", [](Inputs& inputs) {
    for (index j = 0; j < 20; ++j)
      for (index c = 0; c < 16; ++c) inputs.value.view().set(0, 0, j, c, 0);
  });
  EXPECT_TRUE(judged.compare().zeros_would_pass);
  EXPECT_EQ(attestone::judged(judged.compare()).reason, "weak-case");
}

/// V cancels but for 0.7 of what casts of the weights may make of it: zeros would pass, if only just.
TEST(CompareWeakCases, ZerosPassWhereRoundingIsAsLargeAsTheTruth) {
  Judged judged("shape=1x1x1x20x1 dtype=bf16 fill=ties", [](Inputs& inputs) {
    for (index j = 0; j < 20; ++j) inputs.value.view().set(0, 0, j, 0, j < 2 ? 0.0273 : j % 2 ? 1 : -1);
  });
  EXPECT_GT(judged.truth.out(0, 0, 0, 0).value, 0.6 * judged.bounds.deterministic(0, 0));
  EXPECT_TRUE(judged.compare().zeros_would_pass);
}

/// Everywhere else the mean of V is right.
TEST(CompareWeakCases, TheMeanDoesNotPassForARowThatSeesNaN) {
  Judged judged("shape=1x1x9x20x16 fill=ties",
                [](Inputs& inputs) { inputs.query.view().set(0, 0, 4, 3, std::numeric_limits<double>::quiet_NaN()); });
  EXPECT_FALSE(judged.compare().mean_would_pass);
}

/// Tied weights are cast alike, which the cheap estimate of the first channel's bound leaves out: it looks worse than
/// the second one, and is not.
TEST(CompareWeakCases, TheWorstElementIsNotTheMostSuspectOne) {
  Judged judged("shape=1x1x1x1000x4:2 dtype=bf16>f32 fill=ties", [](Inputs& inputs) {
    for (index j = 0; j < 1000; ++j) {
      inputs.value.view().set(0, 0, j, 0, 1);
      inputs.value.view().set(0, 0, j, 1, j == 0 ? 1 : 0);
    }
  });
  for (index c = 0; c < 2; ++c) {
    const double bound = judged.bound.row(0, 0, 0)->out_probabilistic(c);
    judged.answer.out.view().set(0, 0, 0, c, judged.truth.out(0, 0, 0, c).value + (c == 0 ? 0.5 : 0.9) * bound);
  }
  EXPECT_GT(0.5 * judged.bound.row(0, 0, 0)->out_probabilistic(0), judged.bounds.probabilistic_at_least(0, 0));
  const Comparison comparison = judged.compare();
  EXPECT_TRUE(comparison.conforms());
  EXPECT_EQ(comparison.worst->channel, 1);
  EXPECT_NEAR(comparison.accuracy.r_prob, 0.9, 1e-3);
}

}  // namespace
}  // namespace attestone
