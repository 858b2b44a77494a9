// SPDX-License-Identifier: Apache-2.0
// The largest score of each row: against MPFR on hard inputs, and by hand where NaN, infinities and sinks are.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/effort.hpp"
#include "tests/reference/certified/forward/oracle_comparison.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<TensorName> with_maxima{TensorName::out, TensorName::log_sum_exp, TensorName::max_logits};

TEST(MaxLogits, NeverLeaveTheirBoundAndAreNeverRoundedWrongly) {
  Random random(20261126);
  index undecided = 0, in_mpfr = 0, rows = 0;
  for (const AdversarialFill& fill : adversarial_fills()) {
    Tally tally;
    for (index n = 0; n < effort(25, 2500); ++n) {
      Problem problem = problem_with_features(random);
      problem.wants = with_maxima;
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      const Truth truth = certify_forward(problem, inputs);
      compare_with_oracle(problem, inputs, truth, tally);
      ASSERT_EQ(tally.violations, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
      ASSERT_EQ(tally.wrong_roundings, 0) << fill.name << ": " << problem.text();
      EXPECT_EQ(truth.decisions.total(), problem.shape.rows() * (problem.shape.value_dim + 2));
      problem.wants.clear();
      const Decisions without = certify_forward(problem, inputs).decisions;
      const index left = truth.decisions.undecided - without.undecided;
      rows += problem.shape.rows(), undecided += left, in_mpfr += truth.decisions.in_mpfr - without.in_mpfr;
      EXPECT_TRUE(left == 0 || problem.score.softcap()) << problem.text();
    }
  }
  fmt::print("{} rows, {} decided in MPFR, {} undecided\n", rows, in_mpfr, undecided);
  EXPECT_GT(in_mpfr, rows / 100);
  EXPECT_LT(undecided, rows / 100);
}

/// A flat softcap is nearer to c than any precision, and c + bias may be a boundary: here between 2^24 + 2 and 2^24 +
/// 4, the second of which is even.
TEST(MaxLogits, StayOpenWhereAFlatSoftcapMeetsABoundary) {
  Problem problem = parse_problem("shape=1x1x1x1x1 scale=1 score=softcap:1&bias:key wants=max_logits");
  Inputs inputs(problem);
  for (Tensor* tensor : {&inputs.query, &inputs.key}) set_all(*tensor, [](index, index) { return 0x1p30; });
  set_all(*inputs.bias, [](index, index) { return 0x1p24 + 2; });
  const Certified found = certify_forward(problem, inputs).max_logits(0, 0, 0);
  EXPECT_FALSE(found.decided);
  EXPECT_EQ(found.value, 0x1p24 + 3);
  EXPECT_LE(found.bound, 0x1p-1000);
}

/// Two queries and keys of two channels; the second query is the first with the other sign.
struct Scene {
  explicit Scene(const std::string& more)
      : problem(parse_problem("shape=1x1x2x4x2 scale=1 wants=max_logits " + more)), inputs(problem) {
    set_all(inputs.query, [](index query, index) { return query == 0 ? 1.0 : -1.0; });
    set_all(inputs.key, [](index key, index channel) { return channel == 0 ? static_cast<double>(key + 1) : 0; });
    set_all(inputs.value, [](index, index) { return 1.0; });
  }
  double of(index query) const { return certify_forward(problem, inputs).max_logits(0, 0, query).value; }
  bool is_open(index query) const {
    const Certified found = certify_forward(problem, inputs).max_logits(0, 0, query);
    return found.non_finite == NonFinite::any && std::isinf(found.bound);
  }

  Problem problem;
  Inputs inputs;
};

TEST(MaxLogits, AreThoseOfVisibleKeysAfterEveryTerm) {
  EXPECT_EQ(Scene("").of(0), 4);
  EXPECT_EQ(Scene("").of(1), -1);
  EXPECT_EQ(Scene("mask=causal").of(0), 3);
  EXPECT_EQ(Scene("mask=~causal").of(1), -infinity);
  EXPECT_EQ(Scene("lengths=0").of(0), -infinity);
  EXPECT_NEAR(Scene("score=softcap:2").of(0), 2 * std::tanh(2.0), 1e-15);
  Scene biased("score=bias:key");
  set_all(*biased.inputs.bias, [](index, index key) { return key == 0 ? 10.0 : key == 3 ? -infinity : 0.0; });
  EXPECT_EQ(biased.of(0), 11);
  set_all(*biased.inputs.bias, [](index, index) { return -infinity; });
  EXPECT_EQ(biased.of(0), -infinity);
}

TEST(MaxLogits, LeaveSinksOut) {
  Scene scene("score=sink:head");
  for (const double sink : {100.0, infinity, nan, -infinity}) {
    scene.inputs.sink->view().set(0, 0, 0, 0, sink);
    EXPECT_EQ(scene.of(0), 4) << sink;
    EXPECT_EQ(scene.of(1), -1) << sink;
  }
}

TEST(MaxLogits, OfInfiniteScores) {
  Scene scene("");
  scene.inputs.key.view().set(0, 0, 1, 0, infinity);  // +infinity for query 0, -infinity for query 1
  EXPECT_EQ(scene.of(0), infinity);
  EXPECT_EQ(scene.of(1), -1);
  set_all(scene.inputs.key, [](index, index) { return infinity; });
  EXPECT_EQ(scene.of(1), -infinity);
  Scene capped("score=softcap:2");
  capped.inputs.key.view().set(0, 0, 1, 0, infinity);
  EXPECT_EQ(capped.of(0), 2);
}

TEST(MaxLogits, AreLeftOpenWhereAScoreMayBeNaN) {
  Scene scene("mask=causal");
  scene.inputs.key.view().set(0, 0, 3, 0, nan);  // hidden from query 0
  EXPECT_EQ(scene.of(0), 3);
  EXPECT_TRUE(scene.is_open(1));
  EXPECT_FALSE(scene.is_open(0));
  Scene flushed("");  // whether infinity times a subnormal is NaN is for the kernel to say
  flushed.inputs.key.view().set(0, 0, 1, 0, infinity);
  flushed.inputs.query.view().set(0, 0, 0, 0, 0x1p-140);
  EXPECT_TRUE(flushed.is_open(0));
}

/// A score just beside the middle of two doubles is not in the middle: 128 bits do not see it, 512 do.
TEST(MaxLogits, BesideABoundary) {
  for (const double scale : {1.0, -1.0})
    for (const double beside : {0x1p-200, -0x1p-200}) {
      Problem problem = parse_problem("shape=1x1x1x1x3 dtype=f64 wants=max_logits");
      problem.given_scale = scale;
      Inputs inputs(problem);
      set_all(inputs.query, [](index, index) { return 1.0; });
      set_all(inputs.key, [=](index, index c) { return c == 0 ? 1.0 : c == 1 ? 0x1p-53 : beside; });
      const Certified found = certify_forward(problem, inputs).max_logits(0, 0, 0);
      EXPECT_TRUE(found.decided);
      EXPECT_EQ(found.rounded, scale * (beside > 0 ? 1 + 0x1p-52 : 1)) << scale << " " << beside;
    }
}

/// Two scores that double does not tell apart: the larger one, and nothing between them.
TEST(MaxLogits, OfNearTies) {
  const Problem problem = parse_problem("shape=1x1x1x3x1 scale=1 dtype=f64 wants=max_logits");
  Inputs inputs(problem);
  set_all(inputs.query, [](index, index) { return 1.0; });
  set_all(inputs.key, [](index key, index) { return key == 1 ? 1 : 1 - 0x1p-50; });
  const Certified found = certify_forward(problem, inputs).max_logits(0, 0, 0);
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.rounded, 1);
  EXPECT_EQ(found.bound, 0);
}

/// Products of two f64 vanish in double, or overflow: MPFR has them all the same.
TEST(MaxLogits, OfScoresThatDoubleDoesNotHold) {
  for (const double size : {0x1p-600, 0x1p+600}) {
    Problem problem = parse_problem("shape=1x1x1x3x1 dtype=f64 wants=max_logits");
    problem.given_scale = size < 1 ? 0x1p+1000 : 0x1p-1000;
    Inputs inputs(problem);
    set_all(inputs.query, [&](index, index) { return size; });
    set_all(inputs.key, [&](index key, index) { return static_cast<double>(key - 1) * size; });
    const Certified found = certify_forward(problem, inputs).max_logits(0, 0, 0);
    EXPECT_TRUE(found.decided);
    EXPECT_EQ(found.rounded, size * *problem.given_scale * size);
    EXPECT_EQ(found.bound, 0);
  }
}

}  // namespace
}  // namespace attestone
