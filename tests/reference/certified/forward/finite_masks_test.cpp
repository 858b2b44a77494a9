// SPDX-License-Identifier: Apache-2.0
// Whether a pair is seen is never asked of its score: rows masked by huge finite biases, or by q.k itself, against
// MPFR.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/certified/backward/gradient_comparison.hpp"

namespace attestone {
namespace {

/// Biases of rows in which no key, some keys or all keys are masked by a finite number.
void mask_by_bias(Tensor& bias, double mask, Random& random) {
  enum class Row { ordinary, some, all };
  std::vector<Row> rows;
  for (index row = 0; row < bias.view().extents()[2]; ++row) rows.push_back(static_cast<Row>(random() % 3));
  set_all(bias, [&](index row, index) {
    const Row of_row = rows[static_cast<std::size_t>(row)];
    const bool masked = of_row == Row::all || (of_row == Row::some && random() % 2);
    return masked ? mask : std::normal_distribution<double>()(random);
  });
}

/// Masks in common use, the places where double arithmetic ends, and the lowest number of the format.
double any_mask(const Problem& problem, Random& random) {
  const std::array masks{-1e4,    -65504.0, -0x1p20, -0x1.8p20 * std::log(2), -0x1p21, -0x1p22 * std::log(2), -0x1p40,
                         -0x1p41, -1e9,     -1e30,   -problem.input.largest()};
  return masks[random() % masks.size()];
}

void expect_truthful(const Problem& problem, const Inputs& inputs, bool escalate, index& undecided) {
  Tally forward;
  const Truth truth = certify_forward(problem, inputs, {.queries = {}, .escalate = escalate});
  compare_with_oracle(problem, inputs, truth, forward);
  ASSERT_EQ(forward.violations + forward.wrong_roundings, 0) << problem.text() << "\n" << forward.worst;
  GradientTally backward;
  const auto gradients = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = escalate});
  compare_with_oracle(problem, inputs, gradients, backward);
  ASSERT_EQ(backward.violations + backward.wrong_roundings, 0) << problem.text() << "\n" << backward.worst;
  undecided += truth.decisions.undecided + gradients.decisions.undecided;
}

TEST(FiniteMasks, NoBoundIsLeftUnderMasksOfEverySize) {
  constexpr std::uint64_t seed = 20261122;
  Random random(seed);
  index undecided = 0, problems = 0;
  for (index round = 0; round < effort(150, 10'000); ++round) {
    Problem problem = backward_problem_with_features(random);
    if (!problem.score.bias_tensor() || problem.input.name == "f64") continue;  // f64's lowest is beyond the oracle
    Inputs inputs(problem);
    adversarial_fills()[random() % adversarial_fills().size()].fill(problem, inputs, random);
    const double mask = any_mask(problem, random);
    mask_by_bias(*inputs.bias, mask, random);
    if (inputs.sink && random() % 2) set_all(*inputs.sink, [&](index, index) { return mask; });
    SCOPED_TRACE(fmt::format("seed {}, round {}, mask {:a}", seed, round, mask));
    expect_truthful(problem, inputs, round % 4 == 0, undecided);
    ++problems;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(problems, 20);
}

/// More precision decides what double arithmetic leaves open, even where the mask is the lowest double.
TEST(FiniteMasks, RowsOfNothingButMasksAreDecided) {
  for (const char* formats : {"f32", "bf16", "f16", "f64>f32"}) {
    const Problem problem =
        parse_problem(std::string("shape=1x1x3x6x4:2 score=bias:pair pass=forward+backward dtype=") + formats);
    Random random(3);
    for (const double mask : {-1e4, -0x1p21, -0x1p40, -1e30, -problem.input.largest()}) {
      Inputs inputs(problem);
      adversarial_fills().front().fill(problem, inputs, random);
      set_all(*inputs.bias, [&](index row, index key) { return row == 0 || key > 2 ? mask : 0.5; });
      index undecided = 0;
      SCOPED_TRACE(fmt::format("{} {:a}", formats, mask));
      if (mask > -0x1p1000) {  // where the oracle ends
        expect_truthful(problem, inputs, true, undecided);
      } else {
        undecided =
            certify_forward(problem, inputs).decisions.undecided +
            certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = true}).decisions.undecided;
      }
      EXPECT_EQ(undecided, 0);
    }
  }
}

/// Keys that are masked beside keys that are not weigh nothing, and that is certain without more precision.
TEST(FiniteMasks, MasksBesideOrdinaryScoresNeedNoMoreThanDouble) {
  const Problem problem = parse_problem("shape=1x2x20x150x8 score=bias:pair&sink:head pass=forward+backward");
  Random random(4);
  for (const double mask : {-1e4, -0x1p20, -0x1p21, -0x1p40, -1e30, -problem.input.largest()}) {
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    set_all(*inputs.bias, [&](index, index key) { return key % 3 > 0 ? mask : 0.5; });
    const Truth truth = certify_forward(problem, inputs);
    EXPECT_EQ(truth.decisions.in_mpfr, 0) << mask;
    GradientTally tally;
    const GradientTruth gradients = certify_backward(problem, inputs);
    compare_with_oracle(problem, inputs, gradients, tally);
    EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << mask << "\n" << tally.worst;
    for (const CertifiedTensor* tensor : {&gradients.query, &gradients.key, &gradients.value, &*gradients.bias})
      for (index i = 0; i < element_count(tensor->extents()); ++i)
        ASSERT_LE(tensor->at(0, 0, 0, i).bound, 1e-12) << mask;
  }
}

/// The least case: two keys whose scores are both -2^40, by their product alone.
TEST(FiniteMasks, ScoresThatAreLowByThemselvesAreSeen) {
  const Problem problem = parse_problem("shape=1x1x1x2x1:1 scale=1 pass=forward+backward");
  Inputs inputs(problem);
  set_all(inputs.query, [](index, index) { return -0x1p20; });
  set_all(inputs.key, [](index, index) { return 0x1p20; });
  set_all(inputs.value, [](index key, index) { return key == 0 ? 1.0 : 0.0; });
  set_all(*inputs.dout, [](index, index) { return 1.0; });
  EXPECT_FALSE(std::isfinite(certify_backward(problem, inputs).key.at(0, 0, 0, 0).bound));
  const auto truth = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = true});
  EXPECT_EQ(truth.key.at(0, 0, 0, 0).value, -0x1p18);
  EXPECT_EQ(truth.key.at(0, 0, 1, 0).value, 0x1p18);
  EXPECT_EQ(truth.query.at(0, 0, 0, 0).value, 0);
}

}  // namespace
}  // namespace attestone
