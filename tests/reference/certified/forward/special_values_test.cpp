// SPDX-License-Identifier: Apache-2.0
// NaN and infinities: invisible ones never matter, visible ones answer by docs/rules.md, rule 5.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/call/dropout.hpp"
#include "reference/certified/forward/truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Scene {
  Problem problem;
  Inputs inputs;
  explicit Scene(std::string_view text) : problem(parse_problem(text)), inputs(problem) {
    Random random(5);
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value})
      set_all(*tensor, [&](index, index) { return std::normal_distribution<double>()(random); });
  }
  void set_key(index key, double x) { inputs.key.view().set(0, 0, key, 1, x); }
  void set_value(index key, index channel, double x) { inputs.value.view().set(0, 0, key, channel, x); }
  Truth truth() const { return certify_forward(problem, inputs); }
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool admits(const Truth& truth, index row, index channel, double answer) {
  const auto* all = truth.admissible(0, 0, row, channel);
  return all && std::any_of(all->begin(), all->end(), [&](double x) { return same(x, answer); });
}

void expect_equal(const Certified& a, const Certified& b) {
  EXPECT_TRUE(same(a.value, b.value));
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.rounded, b.rounded);
}

/// Keys 70 .. 79 are padding, key 69 is seen by the last query only.
TEST(SpecialValues, InvisibleOnesNeverMatter) {
  Scene clean("shape=1x1x8x80x8 mask=causal lengths=70"), dirty("shape=1x1x8x80x8 mask=causal lengths=70");
  for (const double x : {nan, infinity, -infinity, 3e38})
    for (index key = 70; key < 80; ++key) dirty.set_key(key, x), dirty.set_value(key, key % 8, x);
  dirty.set_key(69, nan);
  dirty.set_value(69, 2, infinity);
  const Truth expected = clean.truth(), found = dirty.truth();
  for (index row = 0; row < 7; ++row) {
    for (index channel = 0; channel < 8; ++channel) {
      EXPECT_TRUE(same(found.out(0, 0, row, channel).rounded, expected.out(0, 0, row, channel).rounded));
      EXPECT_TRUE(std::isfinite(found.out(0, 0, row, channel).bound));
    }
    expect_equal(found.log_sum_exp(0, 0, row), expected.log_sum_exp(0, 0, row));
  }
  EXPECT_TRUE(std::isnan(found.out(0, 0, 7, 0).value));
  EXPECT_TRUE(std::isnan(found.log_sum_exp(0, 0, 7).value));
}

TEST(SpecialValues, PaddingChangesNoBit) {
  Scene clean("shape=1x1x8x80x8 lengths=70"), dirty("shape=1x1x8x80x8 lengths=70");
  for (index key = 70; key < 80; ++key) dirty.set_key(key, nan), dirty.set_value(key, 1, 1e30);
  const Truth expected = clean.truth(), found = dirty.truth();
  for (index row = 0; row < 8; ++row) {
    for (index channel = 0; channel < 8; ++channel)
      expect_equal(found.out(0, 0, row, channel), expected.out(0, 0, row, channel));
    expect_equal(found.log_sum_exp(0, 0, row), expected.log_sum_exp(0, 0, row));
  }
}

TEST(SpecialValues, NanQueryAnswersNan) {
  Scene scene("shape=1x1x3x20x8");
  scene.inputs.query.view().set(0, 0, 1, 4, nan);
  const Truth truth = scene.truth();
  EXPECT_TRUE(std::isnan(truth.out(0, 0, 1, 0).rounded) && std::isnan(truth.log_sum_exp(0, 0, 1).rounded));
  EXPECT_TRUE(std::isfinite(truth.out(0, 0, 0, 0).rounded) && std::isfinite(truth.out(0, 0, 2, 0).rounded));
}

TEST(SpecialValues, InfiniteScores) {
  Scene scene("shape=1x1x2x4x2");
  set_all(scene.inputs.query, [](index query, index) { return query ? -1.0 : 1.0; });
  scene.set_key(2, infinity);  // score +inf for query 0, -inf for query 1
  const Truth truth = scene.truth();
  EXPECT_TRUE(std::isnan(truth.out(0, 0, 0, 0).rounded));
  EXPECT_TRUE(admits(truth, 0, -1, nan) && admits(truth, 0, -1, infinity));

  Scene without("shape=1x1x2x4x2 mask=~window:0:0");
  const double finite = truth.out(0, 0, 1, 0).rounded;
  EXPECT_TRUE(std::isfinite(finite));
  EXPECT_TRUE(truth.out(0, 0, 1, 0).decided && std::isfinite(truth.log_sum_exp(0, 0, 1).rounded));

  for (index key = 0; key < 4; ++key) scene.set_key(key, infinity);
  const Truth all = scene.truth();
  EXPECT_TRUE(admits(all, 1, 0, 0) && admits(all, 1, 0, nan) && admits(all, 1, -1, -infinity));
}

TEST(SpecialValues, SoftcapBendsInfiniteScores) {
  Scene scene("shape=1x1x1x2x2 score=softcap:2");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  set_all(scene.inputs.key, [](index key, index) { return key ? infinity : 0.0; });
  set_all(scene.inputs.value, [](index key, index) { return static_cast<double>(key); });
  const Truth truth = scene.truth();
  const double weight = std::exp(2.0) / (1 + std::exp(2.0));  // scores 0 and 2
  EXPECT_NEAR(truth.out(0, 0, 0, 0).value, weight, 1e-15);
  EXPECT_EQ(truth.out(0, 0, 0, 0).rounded, static_cast<float>(weight));
}

TEST(SpecialValues, InfiniteValues) {
  Scene scene("shape=1x1x1x4x4");
  scene.set_value(1, 0, infinity);
  scene.set_value(1, 1, infinity), scene.set_value(2, 1, -infinity);
  scene.set_value(3, 2, nan);
  const Truth truth = scene.truth();
  EXPECT_EQ(truth.out(0, 0, 0, 0).rounded, infinity);
  EXPECT_EQ(truth.admissible(0, 0, 0, 0), nullptr) << "the weight does not vanish";
  EXPECT_TRUE(std::isnan(truth.out(0, 0, 0, 1).rounded) && std::isnan(truth.out(0, 0, 0, 2).rounded));
  EXPECT_TRUE(std::isfinite(truth.out(0, 0, 0, 3).rounded));
}

TEST(SpecialValues, InfiniteValueUnderAVanishingWeight) {
  Scene scene("shape=1x1x1x3x4");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  set_all(scene.inputs.key, [](index key, index) { return key == 0 ? -200.0 : 1.0; });
  set_all(scene.inputs.value, [](index key, index) { return key == 0 ? infinity : 5.0; });
  scene.set_value(0, 0, infinity);
  for (index channel = 0; channel < 4; ++channel)
    scene.inputs.value.view().set_code(0, 0, 0, channel, dtype("f32").encode(infinity));
  const Truth truth = scene.truth();
  EXPECT_EQ(truth.out(0, 0, 0, 1).rounded, infinity);
  EXPECT_TRUE(admits(truth, 0, 1, infinity) && admits(truth, 0, 1, nan) && admits(truth, 0, 1, 5));
}

TEST(SpecialValues, NanBehindAVanishingWeightMayBeSkipped) {
  Scene scene("shape=1x1x1x3x4");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  set_all(scene.inputs.key, [](index key, index) { return key == 0 ? -200.0 : 1.0; });
  set_all(scene.inputs.value, [](index, index) { return 5.0; });
  scene.set_value(0, 1, nan);
  EXPECT_TRUE(admits(scene.truth(), 0, 1, nan) && admits(scene.truth(), 0, 1, 5));
  scene.inputs.key.view().set(0, 0, 0, 0, 1.0);
  EXPECT_EQ(Scene(scene).truth().admissible(0, 0, 0, 1) != nullptr, true) << "three channels of -200 are left";
  for (index channel = 0; channel < 4; ++channel) scene.inputs.key.view().set(0, 0, 0, channel, 1.0);
  EXPECT_TRUE(std::isnan(scene.truth().out(0, 0, 0, 1).value));
  EXPECT_EQ(scene.truth().admissible(0, 0, 0, 1), nullptr);
}

/// A running maximum that meets the score of -inf first subtracts infinity from infinity.
TEST(SpecialValues, ScoresOfMinusInfinityMayMakeNan) {
  Scene scene("shape=1x1x1x4x2");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  scene.set_key(2, -infinity);
  const Truth truth = scene.truth();
  EXPECT_TRUE(std::isfinite(truth.out(0, 0, 0, 0).value));
  EXPECT_TRUE(admits(truth, 0, 0, nan) && admits(truth, 0, 0, truth.out(0, 0, 0, 0).rounded));
  EXPECT_TRUE(admits(truth, 0, -1, nan));
}

/// Added to the sum at the end it makes the answer 0; as the maximum of all it makes NaN.
TEST(SpecialValues, ASinkOfInfinityMayTakeAllMass) {
  Scene scene("shape=1x1x1x4x2 score=sink:head");
  scene.inputs.sink->view().set(0, 0, 0, 0, infinity);
  const Truth truth = scene.truth();
  EXPECT_TRUE(admits(truth, 0, 0, nan) && admits(truth, 0, 0, 0) && !admits(truth, 0, 0, infinity));
}

TEST(SpecialValues, BiasesOfMinusInfinityHide) {
  Scene scene("shape=1x1x2x4x4 score=bias:pair");
  set_all(*scene.inputs.bias, [](index query, index key) { return query == 0 && key == 2 ? -infinity : 0.5; });
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  scene.set_key(2, nan), scene.set_value(2, 0, infinity);
  const Truth truth = scene.truth();
  EXPECT_TRUE(std::isfinite(truth.out(0, 0, 0, 0).rounded) && std::isfinite(truth.log_sum_exp(0, 0, 0).rounded));
  EXPECT_TRUE(std::isnan(truth.out(0, 0, 1, 0).rounded) && std::isnan(truth.log_sum_exp(0, 0, 1).rounded));
}

TEST(SpecialValues, BiasesOfNanAndInfinityAreScores) {
  for (const double bias : {nan, infinity}) {
    Scene scene("shape=1x2x2x4x4 score=bias:head mask=causal");
    set_all(*scene.inputs.bias, [](index, index) { return 0.5; });
    scene.inputs.bias->view().set(0, 1, 0, 3, bias);  // invisible
    scene.inputs.bias->view().set(0, 1, 1, 3, bias);
    const Truth truth = scene.truth();
    EXPECT_TRUE(std::isfinite(truth.out(0, 0, 1, 0).rounded) && std::isfinite(truth.out(0, 1, 0, 0).rounded));
    EXPECT_TRUE(std::isnan(truth.out(0, 1, 1, 0).rounded));
    EXPECT_EQ(admits(truth, 1, -1, infinity), false) << "of head 0";
    EXPECT_EQ(truth.admissible(0, 1, 1, -1) != nullptr, bias == infinity);
  }
}

TEST(SpecialValues, SinksAreScores) {
  Scene scene("shape=1x3x2x4x4 score=sink:head");
  scene.inputs.sink->view().set(0, 0, 0, 0, -infinity);
  scene.inputs.sink->view().set(0, 1, 0, 0, nan);
  scene.inputs.sink->view().set(0, 2, 0, 0, infinity);
  Scene without("shape=1x3x2x4x4");
  const Truth truth = scene.truth(), expected = without.truth();
  expect_equal(truth.out(0, 0, 1, 2), expected.out(0, 0, 1, 2));
  expect_equal(truth.log_sum_exp(0, 0, 1), expected.log_sum_exp(0, 0, 1));
  EXPECT_TRUE(std::isnan(truth.out(0, 1, 0, 0).rounded) && std::isnan(truth.log_sum_exp(0, 1, 0).rounded));
  EXPECT_TRUE(std::isnan(truth.out(0, 2, 0, 0).rounded) && truth.admissible(0, 2, 0, -1));
}

/// Infinite values of dropped pairs: 0 times infinity, or skipped; the weight stays in the denominator.
TEST(SpecialValues, DroppedPairsMayBeSkipped) {
  Scene scene("shape=1x1x20x2x4 dropout=0.5"), clean("shape=1x1x20x2x4 dropout=0.5");
  scene.set_value(1, 0, infinity);
  const Truth truth = scene.truth(), expected = clean.truth();
  for (index query = 0; query < 20; ++query) {
    if (Dropout(scene.problem).keeps({0, 0, query, 1})) {
      EXPECT_EQ(truth.out(0, 0, query, 0).rounded, infinity);
      continue;
    }
    EXPECT_EQ(truth.out(0, 0, query, 0).rounded, expected.out(0, 0, query, 0).rounded);
    EXPECT_TRUE(admits(truth, query, 0, nan));
  }
}

TEST(SpecialValues, AZeroTimesADroppedInfinityMayMeetAKeptOne) {
  Scene scene("shape=1x1x40x3x4 dropout=0.5");
  scene.set_value(1, 0, infinity), scene.set_value(2, 0, infinity);
  const Truth truth = scene.truth();
  const Dropout dropout(scene.problem);
  for (index query = 0; query < 40; ++query) {
    const bool first = dropout.keeps({0, 0, query, 1}), second = dropout.keeps({0, 0, query, 2});
    if (!first && !second) continue;
    EXPECT_EQ(truth.out(0, 0, query, 0).rounded, infinity);
    EXPECT_EQ(admits(truth, query, 0, nan), first != second);
  }
}

TEST(SpecialValues, WithEveryPairDroppedNanScoresMayBeSkipped) {
  Scene scene("shape=1x1x40x2x4 dropout=0.5");
  for (index query = 0; query < 40; ++query) scene.inputs.query.view().set(0, 0, query, 0, nan);
  const Truth truth = scene.truth();
  const Dropout dropout(scene.problem);
  for (index query = 0; query < 40; ++query) {
    const bool any = dropout.keeps({0, 0, query, 0}) || dropout.keeps({0, 0, query, 1});
    EXPECT_TRUE(std::isnan(truth.out(0, 0, query, 0).rounded));
    EXPECT_EQ(admits(truth, query, 0, 0), !any);
  }
}

}  // namespace
}  // namespace attestone
