// SPDX-License-Identifier: Apache-2.0
// Cases whose answer is known without computing: they must decide, to exactly that answer.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/call/dropout.hpp"
#include "reference/certified/forward/truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  Problem problem;
  Inputs inputs;
  explicit Case(std::string_view text) : problem(parse_problem(text)), inputs(problem) {
    Random random(11);
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value})
      set_all(*tensor, [&](index, index) { return std::normal_distribution<double>()(random); });
  }
  Truth truth(CertifyOptions options = {}) const { return certify_forward(problem, inputs, options); }
};

class ExactCases : public testing::TestWithParam<std::string> {
 protected:
  std::string with(std::string_view rest) const { return std::string(rest) + " dtype=" + GetParam(); }
};

TEST_P(ExactCases, OneVisibleKeyAnswersItsValue) {
  const Case c(with("shape=1x2x5x5x8 mask=window:0:0"));
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  for (index q = 0; q < 5; ++q)
    for (index channel = 0; channel < 8; ++channel)
      EXPECT_EQ(truth.out(0, 1, q, channel).rounded,
                c.problem.output.round(c.inputs.value.view().value(0, 1, q, channel)));
}

TEST_P(ExactCases, EqualValuesAnswerThemselves) {
  Case c(with("shape=1x1x3x70x8"));
  set_all(c.inputs.value, [](index, index channel) { return 1.1 + static_cast<double>(channel); });
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  for (index channel = 0; channel < 8; ++channel)
    EXPECT_EQ(truth.out(0, 0, 2, channel).rounded,
              c.problem.output.round(c.inputs.value.view().value(0, 0, 0, channel)));
}

TEST_P(ExactCases, ZeroValuesAnswerZero) {
  Case c(with("shape=1x1x3x70x8"));
  set_all(c.inputs.value, [](index, index) { return 0; });
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  EXPECT_EQ(truth.out(0, 0, 1, 3).rounded, 0);
}

/// Means of 2^k integers: exact in f64, often half way between two numbers of a narrow format.
TEST_P(ExactCases, TiedScoresAnswerTheMean) {
  Case c(with("shape=1x1x2x64x16"));
  set_all(c.inputs.query, [](index, index) { return 0; });
  set_all(c.inputs.value, [](index key, index channel) { return static_cast<double>((key * (channel + 3)) % 17) - 8; });
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  for (index channel = 0; channel < 16; ++channel) {
    double sum = 0;
    for (index key = 0; key < 64; ++key) sum += c.inputs.value.view().value(0, 0, key, channel);
    EXPECT_EQ(truth.out(0, 0, 1, channel).rounded, c.problem.output.round(sum / 64)) << channel;
  }
}

TEST_P(ExactCases, RowsThatSeeNothingAreZeroAndMinusInfinity) {
  const Case c(with("shape=2x1x4x3x8 mask=causal lengths=3+0 query_lengths=4+2"));
  const Truth truth = c.truth();
  for (const auto& [batch, row] : {std::pair{0, 0}, {1, 0}, {1, 3}}) {
    EXPECT_EQ(truth.out(batch, 0, row, 5).value, 0);
    EXPECT_EQ(truth.out(batch, 0, row, 5).bound, 0);
    EXPECT_TRUE(truth.out(batch, 0, row, 5).decided);
    EXPECT_EQ(truth.log_sum_exp(batch, 0, row).rounded, -infinity);
  }
}

TEST_P(ExactCases, RowsThatSeeOnlyTheSinkAreZeroAndTheSink) {
  Case c(with("shape=2x2x4x3x8 mask=causal score=sink:head lengths=3+0 query_lengths=4+2 dropout=0.3"));
  c.inputs.sink->view().set(0, 1, 0, 0, 0.75);
  const Truth truth = c.truth();
  for (const auto& [batch, row] : {std::pair{0, 0}, {1, 0}, {1, 3}}) {
    EXPECT_EQ(truth.out(batch, 1, row, 5).value, 0);
    EXPECT_EQ(truth.out(batch, 1, row, 5).bound, 0);
    EXPECT_EQ(truth.log_sum_exp(batch, 1, row).value, 0.75);
    EXPECT_EQ(truth.log_sum_exp(batch, 1, row).bound, 0);
  }
}

/// Three equal scores and a sink of the same: each weighs a quarter; half as likely to be kept, it counts twice.
TEST_P(ExactCases, TiedSinksAndDropoutAnswerTheMean) {
  Case c(with("shape=1x1x40x3x4 score=sink:head dropout=0.5 scale=1"));
  set_all(c.inputs.query, [](index, index) { return 2; });
  set_all(c.inputs.key, [](index, index channel) { return channel < 2 ? 1 : -0.5; });
  set_all(c.inputs.value, [](index key, index channel) { return static_cast<double>(key * 5 + channel) - 6; });
  c.inputs.sink->view().set(0, 0, 0, 0, 2);
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  for (index query = 0; query < 40; ++query)
    for (index channel = 0; channel < 4; ++channel) {
      double sum = 0;
      for (index key = 0; key < 3; ++key)
        if (Dropout(c.problem).keeps({0, 0, query, key})) sum += c.inputs.value.view().value(0, 0, key, channel);
      EXPECT_EQ(truth.out(0, 0, query, channel).rounded, c.problem.output.round(sum / 2)) << query << " " << channel;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, ExactCases,
                         testing::Values("f32", "bf16", "f16", "f64", "f32>bf16", "f32>f16", "f32>e5m2", "bf16>f64"),
                         by_parameter);

TEST(CertifyForward, EmptyExtents) {
  const Case no_keys("shape=1x2x3x0x4"), no_queries("shape=1x2x0x3x4");
  EXPECT_EQ(no_keys.truth().log_sum_exp(0, 1, 2).value, -infinity);
  EXPECT_EQ(no_queries.truth().decisions.total(), 0);
}

/// A mean that is a midpoint of two f32 numbers: only a proof decides it.
TEST(CertifyForward, ProvesTies) {
  Case c("shape=1x1x1x2x4");
  set_all(c.inputs.key, [](index, index channel) { return static_cast<double>(channel); });
  set_all(c.inputs.value, [](index key, index) { return key ? 1 : 1 + 0x1p-23; });
  const Truth truth = c.truth();
  EXPECT_EQ(truth.out(0, 0, 0, 0).rounded, 1);  // to even
  EXPECT_EQ(truth.out(0, 0, 0, 0).value, 1 + 0x1p-24);
  EXPECT_EQ(truth.decisions.ties, 4);
}

/// Almost a tie: the keys of the highest score agree on a midpoint, and only a weight of e^-900 leans to one side.
TEST(CertifyForward, DecidesWhichSideOfATie) {
  for (const double lean : {-1.0, 1.0}) {
    Case c("shape=1x1x1x3x1 scale=1");
    set_all(c.inputs.query, [](index, index) { return 30; });
    set_all(c.inputs.key, [](index key, index) { return key == 2 ? 0 : 30; });
    set_all(c.inputs.value, [&](index key, index) { return key == 0 ? 1 : key == 1 ? 1 + 0x1p-23 : 1 + lean; });
    const Truth truth = c.truth();
    EXPECT_EQ(truth.decisions.undecided, 0);
    EXPECT_EQ(truth.out(0, 0, 0, 0).rounded, lean > 0 ? 1 + 0x1p-23 : 1);
  }
}

TEST(CertifyForward, ScoresBeyondDoubleArithmeticAreLeftToMpfr) {
  Case c("shape=1x1x2x9x4");
  set_all(c.inputs.query, [](index, index) { return 1e12; });
  set_all(c.inputs.key, [](index key, index) { return 1e12 * (1 + static_cast<double>(key % 3)); });
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  EXPECT_GT(truth.decisions.in_mpfr, 0);
}

/// With dropout a mean of values is divided by 1 - rate, which no format holds exactly: the tie is proven all the same.
TEST(CertifyForward, ProvesTiesUnderDropout) {
  Case c("shape=1x1x30x2x4 dropout=0.25 dtype=f64>f32");
  set_all(c.inputs.key, [](index, index) { return 1; });
  set_all(c.inputs.value, [](index, index) { return 1.5 * (1 + 0x1p-24); });  // times 1/2 / (3/4)
  const Truth truth = c.truth();
  EXPECT_EQ(truth.decisions.undecided, 0);
  index ties = 0;
  for (index query = 0; query < 30; ++query) {
    const bool first = Dropout(c.problem).keeps({0, 0, query, 0}), second = Dropout(c.problem).keeps({0, 0, query, 1});
    EXPECT_EQ(truth.out(0, 0, query, 0).value, (first + second) * (1 + 0x1p-24)) << query;
    EXPECT_EQ(truth.out(0, 0, query, 0).rounded, first + second) << query;  // to even
    ties += first || second ? 4 : 0;
  }
  EXPECT_EQ(truth.decisions.ties, ties);
}

}  // namespace
}  // namespace attestone
