// SPDX-License-Identifier: Apache-2.0
// No bound of a gradient is ever violated, and every rounding that is called decided is correct: against MPFR.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/certified/backward/gradient_comparison.hpp"

namespace attestone {
namespace {

void scale_dout(Inputs& inputs, double factor) {
  const View view = inputs.dout->view();
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) view.set(b, h, r, c, factor * view.value(b, h, r, c));
}

/// Compares at least this many elements of every fill.
void compare_fills(std::uint64_t seed, index elements, bool escalate) {
  fmt::print("{:18} {:>9} {:>9} {:>9} {:>9} {:>12}\n", "fill", "elements", "decided", "in MPFR", "zero", "error/bound");
  Random random(seed);
  for (const AdversarialFill& fill : adversarial_fills()) {
    GradientTally tally;
    index in_mpfr = 0;
    while (tally.elements < elements) {
      const Problem problem = backward_problem_with_features(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      if (random() % 4 == 0) scale_dout(inputs, 1e-3);
      const GradientTruth truth = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = escalate});
      compare_with_oracle(problem, inputs, truth, tally);
      in_mpfr += truth.decisions.in_mpfr;
      ASSERT_EQ(tally.violations, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
      ASSERT_EQ(tally.wrong_roundings, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
    }
    fmt::print("{:18} {:9} {:9} {:9} {:9} {:12.3g}\n", fill.name, tally.elements, tally.decided, in_mpfr, tally.zeros,
               tally.worst_ratio);
    EXPECT_TRUE(!escalate || tally.decided > tally.elements * 95 / 100) << fill.name;
  }
}

TEST(CertifyBackward, NeverLeavesItsBoundAndNeverRoundsWrongly) {
  compare_fills(20240608, effort(10'000, 1'000'000) / std::ssize(adversarial_fills()), false);
}

TEST(CertifyBackward, EscalationDecidesAlmostAll) {
  compare_fills(20240609, effort(4'000, 100'000) / std::ssize(adversarial_fills()), true);
}

/// Scores of 1e24 to 1e84: nothing is known in double, whatever comes out of its exponentials.
TEST(CertifyBackward, ScoresBeyondDoubleArithmeticAreLeftToMpfr) {
  Random random(17);
  for (index round = 0; round < effort(20, 1000); ++round) {
    Problem problem = parse_problem("shape=1x2x3x9x4:2 score=bias:full&sink:head dtype=f64>f32 pass=forward+backward");
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    for (Tensor* tensor : {&inputs.query, &inputs.key})
      set_all(*tensor,
              [&](index, index) { return std::ldexp(std::normal_distribution<double>()(random), 40 + round % 100); });
    for (const bool escalate : {false, true}) {
      const auto truth = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = escalate});
      GradientTally tally;
      compare_with_oracle(problem, inputs, truth, tally);
      EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << round << "\n" << tally.worst;
      EXPECT_EQ(truth.decisions.in_mpfr > 0, escalate) << round;
      for (index i = 0; escalate && i < element_count(truth.value.extents()); ++i) {
        const Certified& element = truth.value.at(0, 0, 0, i);  // may be a sum of dO, exactly between two numbers
        EXPECT_LE(element.bound, 1e-6) << round;
      }
    }
  }
}

/// Scores 2^e + j, all exact: but the range reduction of exp ends at 2^20, and then weights may even be negative.
TEST(CertifyBackward, NothingIsKnownBeyondTheRangeReduction) {
  for (int exponent = 15; exponent < 60; ++exponent) {
    const Problem problem = parse_problem("shape=1x1x2x12x1:2 scale=1 dtype=f64 pass=forward+backward");
    Inputs inputs(problem);
    Random random(static_cast<std::uint64_t>(exponent));
    adversarial_fills().front().fill(problem, inputs, random);
    set_all(inputs.query, [&](index, index) { return std::ldexp(1.0, exponent - 10); });
    set_all(inputs.key,
            [&](index key, index) { return 1024 + std::ldexp(static_cast<double>(key), 10 - std::min(exponent, 52)); });
    GradientTally tally;
    compare_with_oracle(problem, inputs, certify_backward(problem, inputs), tally);
    EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << exponent << "\n" << tally.worst;
  }
}

/// Subnormal sums that 1 / (1 - rate) magnifies.
TEST(CertifyBackward, UnderflowBeforeTheLastFactor) {
  Random random(18);
  for (index round = 0; round < effort(10, 1000); ++round) {
    Problem problem = parse_problem("shape=1x1x40x30x2 score=bias:pair&sink:head dtype=f64 pass=forward+backward");
    problem.dropout = 1 - std::ldexp(1.0, -static_cast<int>(random() % 12));
    problem.given_scale = random() % 2 ? 0.3 : 0x1p-1000;
    problem.seed = random();
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    scale_dout(inputs, *problem.given_scale < 0.3 ? 0x1p-70 : 0x1p-1070);
    GradientTally tally;
    compare_with_oracle(problem, inputs, certify_backward(problem, inputs), tally);
    EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << problem.text() << "\n" << tally.worst;
  }
}

TEST(CertifyBackward, EmptyExtents) {
  for (const char* text : {"shape=1x2x3x0x4 score=bias:full", "shape=2x2x0x3x4 score=bias:key&sink:head"}) {
    const Problem problem = parse_problem(text + std::string(" pass=forward+backward"));
    const Inputs inputs(problem);
    const GradientTruth truth = certify_backward(problem, inputs);
    EXPECT_EQ(truth.decisions.undecided, 0);
    EXPECT_EQ(element_count(truth.key.extents()), problem.shape.keys * problem.shape.batch * 8);
    for (index i = 0; i < element_count(truth.key.extents()); ++i) EXPECT_EQ(truth.key.at(0, 0, 0, i).bound, 0);
  }
}

}  // namespace
}  // namespace attestone
