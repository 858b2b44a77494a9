// SPDX-License-Identifier: Apache-2.0
// The gradients of the ladder against differences of its own forward pass, and against what must hold of any gradient.
#include <array>
#include <gtest/gtest.h>
#include <numeric>

#include "reference/attention/11_ring.hpp"
#include "reference/attention/2_stable.hpp"
#include "reference/attention/6_backward.hpp"
#include "reference/attention/8_recomputation.hpp"
#include "reference/attention/operands.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 1> formats{"f64"};

/// A random problem with gradients, small enough to wiggle every element, whose elements do not share places.
Problem small_problem(std::mt19937_64& random) {
  Problem problem = random_problem(random, formats);
  problem.backward = true;
  problem.layout = problem.layout == "broadcast" ? "strided" : problem.layout;
  Shape& s = problem.shape;
  for (const auto& [extent, most] :
       {std::pair(&Shape::queries, 4), std::pair(&Shape::keys, 6), std::pair(&Shape::dim, 3)})
    s.*extent = std::min<index>(s.*extent, most);
  s.value_dim = std::min<index>(s.value_dim, 3);
  if (problem.layout == "packed_qkv") s.queries = s.keys, s.value_dim = s.dim;
  for (index& length : problem.lengths) length = std::min(length, s.keys);
  for (index& length : problem.query_lengths) length = std::min(length, s.queries);
  return problem;
}

/// <O, dO>
double loss(const Problem& problem, const Inputs& inputs) {
  const Answer answer = stable_attention(problem, inputs);
  const Rows dout(inputs.dout->view());
  double sum = 0;
  for_each_row(problem.shape, [&](index b, index h, index i) {
    const auto o = answer.out(b, h, i);
    sum = std::inner_product(o.begin(), o.end(), dout(b, h, i).begin(), sum);
  });
  return sum;
}

/// Every element of one input is moved; a difference of fourth order must be its gradient.
void expect_differences(const Problem& problem, Inputs& inputs, Tensor& input, const Rows& gradient, const char* name) {
  // What five points miss is h^4 / 30 times a fifth derivative, h^4 / 30 < 2^-36; here those stay below 2^16.
  constexpr double h = 0x1p-8, tolerance = 0x1p-20;
  const View view = input.view();
  for_each_element(view, [&](index b, index head, index r, index c) {
    const double x = view.value(b, head, r, c);
    if (std::isinf(x)) return;  // a hidden pair stays hidden
    const auto at = [&](double moved) {
      view.set(b, head, r, c, moved);
      return loss(problem, inputs);
    };
    const double difference = (8 * (at(x + h) - at(x - h)) - (at(x + 2 * h) - at(x - 2 * h))) / (12 * h);
    at(x);
    ASSERT_NEAR(gradient(b, head, r)[static_cast<std::size_t>(c)], difference, tolerance)
        << name << " [" << b << ", " << head << ", " << r << ", " << c << "] " << problem.text();
  });
}

TEST(Backward, IsTheDerivativeOfForward) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(60, 1500); ++n) {
    RandomCall call(small_problem(random));
    Inputs& inputs = call.inputs;
    const Gradient gradient = attention_gradient(call.problem, inputs);
    expect_differences(call.problem, inputs, inputs.query, gradient.query, "dQ");
    expect_differences(call.problem, inputs, inputs.key, gradient.key, "dK");
    expect_differences(call.problem, inputs, inputs.value, gradient.value, "dV");
    if (inputs.bias) expect_differences(call.problem, inputs, *inputs.bias, gradient.bias, "dBias");
    if (inputs.sink) expect_differences(call.problem, inputs, *inputs.sink, gradient.sink, "dSink");
    if (HasFatalFailure()) return;
  }
}

TEST(Backward, ByHand) {
  // Two tied keys, weights 1/2, values 1 and 3, dO = 4: delta = 8, dP = 4 and 12, dS = -2 and 2.
  RandomCall call(parse_problem("shape=1x1x1x2x1 scale=2 score=bias:key dtype=f64 pass=forward+backward"));
  Inputs& inputs = call.inputs;
  inputs.query.view().set(0, 0, 0, 0, 1);
  inputs.dout->view().set(0, 0, 0, 0, 4);
  for (const index key : {0, 1}) {
    inputs.key.view().set(0, 0, key, 0, 5);
    inputs.value.view().set(0, 0, key, 0, 1 + 2 * static_cast<double>(key));
    inputs.bias->view().set(0, 0, 0, key, 0);
  }
  const Gradient gradient = attention_gradient(call.problem, inputs);
  EXPECT_DOUBLE_EQ(gradient.value(0, 0, 0)[0], 2);
  EXPECT_DOUBLE_EQ(gradient.bias(0, 0, 0)[0], -2);
  EXPECT_DOUBLE_EQ(gradient.bias(0, 0, 0)[1], 2);
  EXPECT_DOUBLE_EQ(gradient.key(0, 0, 0)[0], -4);
  EXPECT_DOUBLE_EQ(gradient.key(0, 0, 1)[0], 4);
  EXPECT_NEAR(gradient.query(0, 0, 0)[0], 0, 0x1p-45);
}

TEST(Backward, ScoreGradientsOfARowAddUpToZero) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(100, 5000); ++n) {
    Problem problem = small_problem(random);
    const bool with_sink = problem.score.has_sink();
    problem.score = Score();
    problem.score.add({"bias", 0, "full"});
    if (with_sink) problem.score.add({"sink", 0, "head"});
    const RandomCall call(problem);
    const Gradient gradient = attention_gradient(problem, call.inputs);
    std::vector<double> of_head(static_cast<std::size_t>(problem.shape.heads));
    for_each_row(problem.shape, [&](index b, index h, index i) {
      const auto ds = gradient.bias(b, h, i);
      const double sum = std::accumulate(ds.begin(), ds.end(), 0.0);
      of_head[static_cast<std::size_t>(h)] += sum;
      if (!with_sink) {
        EXPECT_NEAR(sum, 0, 0x1p-45) << problem.text();
      }
    });
    for (index h = 0; with_sink && h < problem.shape.heads; ++h)
      EXPECT_NEAR(of_head[static_cast<std::size_t>(h)] + gradient.sink(0, h, 0)[0], 0, 0x1p-45) << problem.text();
  }
}

TEST(Backward, IsLinearInTheGradientOfO) {
  std::mt19937_64 random(3);
  for (index n = 0; n < effort(100, 5000); ++n) {
    RandomCall call(small_problem(random));
    const Gradient once = attention_gradient(call.problem, call.inputs);
    const View dout = call.inputs.dout->view();
    for_each_element(dout,
                     [&](index b, index h, index r, index c) { dout.set(b, h, r, c, -4 * dout.value(b, h, r, c)); });
    const Gradient scaled = attention_gradient(call.problem, call.inputs);
    for (const auto rows : {&Gradient::query, &Gradient::key, &Gradient::value, &Gradient::bias, &Gradient::sink})
      for (std::size_t i = 0; i < (once.*rows).all().size(); ++i)
        EXPECT_EQ((scaled.*rows).all()[i], -4 * (once.*rows).all()[i]) << call.problem.text();
  }
}

TEST(Backward, NeedsNothingButTheAnswer) {
  std::mt19937_64 random(4);
  for (index n = 0; n < effort(100, 5000); ++n) {
    Problem problem = random_problem(random, formats);
    problem.backward = true;
    const RandomCall call(problem);
    const Gradient want = attention_gradient(problem, call.inputs);
    const Answer answer = stable_attention(problem, call.inputs);
    const auto expect_near = [&](const Gradient& got) {
      // Each element is a sum over at most 120 rows of 40 keys, of terms below 2^6 that err by 2^-47 of that.
      for (const auto rows : {&Gradient::query, &Gradient::key, &Gradient::value, &Gradient::bias, &Gradient::sink})
        for (std::size_t i = 0; i < (got.*rows).all().size(); ++i)
          ASSERT_NEAR((got.*rows).all()[i], (want.*rows).all()[i], 0x1p-28) << problem.text();
    };
    for (const index block : {1, 3, 64}) expect_near(recomputed_gradient(problem, call.inputs, answer, block, block));
    for (const index devices : {1, 3, 64}) expect_near(ring_gradient(problem, call.inputs, answer, devices));
  }
}

TEST(Backward, EmptyRowsAndHiddenKeysSendNothing) {
  RandomCall call(
      parse_problem("shape=1x2x5x3x2 mask=causal score=bias:head&sink:head dtype=f64 pass=forward+backward"));
  const Answer answer = stable_attention(call.problem, call.inputs);
  const Gradient clean = attention_gradient(call.problem, call.inputs);
  const Gradient recomputed = recomputed_gradient(call.problem, call.inputs, answer);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (index head = 0; head < 2; ++head)
    for (index c = 0; c < 2; ++c)
      for (const index empty : {0, 1}) {  // five queries, three keys: two queries see nothing
        call.inputs.dout->view().set(0, head, empty, c, nan);
        call.inputs.query.view().set(0, head, empty, c, nan);
        EXPECT_EQ(clean.query(0, head, empty)[static_cast<std::size_t>(c)], 0);
      }
  const Gradient poisoned = attention_gradient(call.problem, call.inputs);
  const Gradient poisoned_recomputed = recomputed_gradient(call.problem, call.inputs, answer);
  for (const auto rows : {&Gradient::query, &Gradient::key, &Gradient::value, &Gradient::bias, &Gradient::sink}) {
    EXPECT_EQ((poisoned.*rows).all(), (clean.*rows).all());
    EXPECT_EQ((poisoned_recomputed.*rows).all(), (recomputed.*rows).all());
  }
}

}  // namespace
}  // namespace attestone
