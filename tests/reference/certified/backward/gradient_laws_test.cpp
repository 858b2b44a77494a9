// SPDX-License-Identifier: Apache-2.0
// Laws that gradients obey whatever computes them: differences of the loss, sums that vanish, structural zeros.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/certified/backward/gradient_truth.hpp"
#include "tests/effort.hpp"
#include "tests/reference/certified/backward/gradient_oracle.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

struct BackwardCase {
  Problem problem;
  Inputs inputs;
  explicit BackwardCase(std::string text, std::uint64_t seed = 3)
      : problem(parse_problem(text + " pass=forward+backward")), inputs(problem) {
    Random random(seed);
    adversarial_fills().front().fill(problem, inputs, random);
  }
  GradientTruth truth(const CertifyGradientOptions& options = {}) const {
    return certify_backward(problem, inputs, options);
  }
};

/// d loss / dx of one element by central differences of the exact forward pass: the error is of order step^2.
double difference(const BackwardCase& c, Tensor Inputs::*of, const Extents& at, double step) {
  const auto loss = [&](double by) {
    Inputs moved = c.inputs;
    const View view = (moved.*of).view();
    view.set(at[0], at[1], at[2], at[3], view.value(at[0], at[1], at[2], at[3]) + by);
    return oracle_loss(c.problem, moved);
  };
  return static_cast<double>((loss(step) - loss(-step)) / Real(2 * step));
}

double difference(const BackwardCase& c, std::optional<Tensor> Inputs::*of, const Extents& at, double step) {
  const auto loss = [&](double by) {
    Inputs moved = c.inputs;
    const View view = (moved.*of)->view();
    view.set(at[0], at[1], at[2], at[3], view.value(at[0], at[1], at[2], at[3]) + by);
    return oracle_loss(c.problem, moved);
  };
  return static_cast<double>((loss(step) - loss(-step)) / Real(2 * step));
}

template <class Member>
void expect_differences(const BackwardCase& c, const CertifiedTensor& gradient, Member of) {
  constexpr double step = 0x1p-20;  // exact steps: inputs are f64, rounded to multiples of 2^-30
  const auto& [batches, heads, rows, channels] = gradient.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index ch = 0; ch < channels; ++ch)
          EXPECT_NEAR(gradient.at(b, h, r, ch).value, difference(c, of, {b, h, r, ch}, step), 1e-9)
              << c.problem.text() << " at " << b << " " << h << " " << r << " " << ch;
}

void round_to_multiples(Tensor& tensor) {
  const View view = tensor.view();
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c)
          view.set(b, h, r, c, std::round(view.value(b, h, r, c) * 0x1p30) * 0x1p-30);
}

TEST(GradientLaws, GradientsAreDifferencesOfTheLoss) {
  for (const char* text : {"shape=1x2/1x3x4x3:2 dtype=f64", "shape=2x1x3x3x2 mask=causal score=softcap:2 dtype=f64",
                           "shape=1x2x2x4x2 score=bias:pair&sink:head dropout=0.4 seed=5 dtype=f64",
                           "shape=2x2x2x3x2 score=softcap:3&bias:key&sink:head lengths=3+2 scale=1.5 dtype=f64",
                           "shape=2x2/1x2x3x2 score=bias:head mask=~causal dropout=0.2 dtype=f64"}) {
    BackwardCase c(text);
    for (Tensor* tensor : {&c.inputs.query, &c.inputs.key, &c.inputs.value}) round_to_multiples(*tensor);
    for (auto* tensor : {&c.inputs.bias, &c.inputs.sink})
      if (*tensor)
        set_all(**tensor, [](index row, index channel) { return 0.25 * static_cast<double>(row - channel); });
    const GradientTruth truth = c.truth();
    expect_differences(c, truth.query, &Inputs::query);
    expect_differences(c, truth.key, &Inputs::key);
    expect_differences(c, truth.value, &Inputs::value);
    if (truth.bias) expect_differences(c, *truth.bias, &Inputs::bias);
    if (truth.sink) expect_differences(c, *truth.sink, &Inputs::sink);
  }
}

/// A constant added to all scores of a row changes nothing: sum dS = 0, within the bounds.
TEST(GradientLaws, GradientsOfABiasSumUpToZero) {
  for (const char* text :
       {"shape=1x2x9x130x16 score=bias:full", "shape=1x2x9x70x16 score=softcap:3&bias:full mask=causal",
        "shape=1x2/1x9x70x16 score=bias:full dropout=0.3 dtype=bf16>f32"}) {
    const BackwardCase c(text);
    const GradientTruth truth = c.truth();
    const auto& [batches, heads, queries, keys] = truth.bias->extents();
    for (index h = 0; h < heads; ++h)
      for (index q = 0; q < queries; ++q) {
        double sum = 0, bound = 0, magnitude = 0;
        for (index k = 0; k < keys; ++k) {
          const Certified& element = truth.bias->at(0, h, q, k);
          sum += element.value;
          bound += element.bound + 0x1p-52 * std::fabs(sum);
          magnitude += std::fabs(element.value);
        }
        EXPECT_LE(std::fabs(sum), bound) << c.problem.text() << " row " << q;
        EXPECT_LE(bound, magnitude * 1e-11 + 1e-14) << c.problem.text() << " row " << q;
      }
  }
}

bool is_zero(const Certified& x) { return x.value == 0 && x.bound == 0 && x.rounded == 0 && x.decided; }
bool is_zero(const CertifiedTensor& tensor, index row) {
  for (index c = 0; c < tensor.extents()[3]; ++c)
    if (!is_zero(tensor.at(0, 0, row, c))) return false;
  return true;
}

TEST(GradientLaws, WhatNothingReachesIsExactlyZero) {
  const BackwardCase empty("shape=1x1x6x4x3 mask=causal lengths=3 query_lengths=5");  // rows 0, 1 and 5; key 3
  const GradientTruth truth = empty.truth();
  for (const index row : {0, 1, 5}) EXPECT_TRUE(is_zero(truth.query, row)) << row;
  EXPECT_TRUE(is_zero(truth.key, 3) && is_zero(truth.value, 3));
  EXPECT_FALSE(is_zero(truth.query, 3) || is_zero(truth.key, 0) || is_zero(truth.value, 0));
}

TEST(GradientLaws, RowsOfOneKeyHaveNoGradientOfScores) {
  for (const char* rest : {"", " dropout=0.5", " score=softcap:2", " score=bias:full"}) {
    const BackwardCase one(std::string("shape=1x1x6x6x3 mask=window:0:0") + rest);
    const GradientTruth truth = one.truth();
    for (index row = 0; row < 6; ++row) EXPECT_TRUE(is_zero(truth.query, row) && is_zero(truth.key, row)) << rest;
    for (index row = 0; truth.bias && row < 6; ++row) EXPECT_TRUE(is_zero(*truth.bias, row));
  }
  const BackwardCase sink("shape=1x1x6x6x3 mask=window:0:0 score=sink:head");
  EXPECT_FALSE(is_zero(sink.truth().query, 2)) << "a sink is a second logit";
}

TEST(GradientLaws, NoGradientOfOutGivesNone) {
  BackwardCase c("shape=1x1x6x6x3 score=bias:full&sink:head");
  set_all(*c.inputs.dout, [](index row, index) { return row == 4 ? 1 : 0; });
  const GradientTruth truth = c.truth();
  for (index row = 0; row < 6; ++row) EXPECT_EQ(is_zero(truth.query, row), row != 4);
  EXPECT_FALSE(is_zero(truth.sink->at(0, 0, 0, 0)));
}

}  // namespace
}  // namespace attestone
