// SPDX-License-Identifier: Apache-2.0
// The errors of weights that a backward pass works out again.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-20;

Numerics rounded_weights() {
  Numerics numerics = exact_numerics();
  numerics.weight.accumulator.roundoff = u;
  return numerics;
}

/// 60 keys a little below the largest, whose exponential alone is exact; values and k of two signs.
void alternating_keys(Inputs& inputs) {
  fill_plainly(inputs);
  fill(inputs.bias->view(), -0x1p-10);
  inputs.bias->view().set(0, 0, 0, 0, 0);
  for (index j = 0; j < 61; ++j) {
    inputs.key.view().set(0, 0, j, 0, j == 0 ? 0 : j % 2 ? 1 : -1);
    inputs.value.view().set(0, 0, j, 0, j == 0 ? 0 : j % 2 ? 1 : -1);
  }
}

/// A key that is alone, and one far below another.
void two_keys(Inputs& inputs) {
  fill_plainly(inputs);
  inputs.bias->view().set(0, 0, 0, 1, -20);
}

TEST(RecomputedWeights, BaseOfLargeLogSumExp) {
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 score=bias:full", rounded_weights(), [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 0, 100);
  });
  expect_reached(here, {.log2_e_first = true}, {"dV"}, 0.95);
}

TEST(RecomputedWeights, ArgumentOfASmallWeight) {
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", rounded_weights(), two_keys);
  expect_reached(here, {}, {"dV", 1}, 0.85);
}

TEST(RecomputedWeights, Division) {
  const GradientCase here("shape=1x1x1x1x1 dtype=f64", rounded_weights(), fill_plainly);
  expect_reached(here, {.softmax_again = true}, {"dV"}, 0.99);
}

TEST(RecomputedWeights, ScoreThatIsStored) {
  Numerics numerics = exact_numerics();
  numerics.score.stored.roundoff = u;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, two_keys);
  expect_reached(here, {}, {"dV", 1}, 0.95);
}

/// Beyond the first order: e^x - 1 is nearer to x (1 + x) than to x.
TEST(RecomputedWeights, ScoreThatIsStoredCoarsely) {
  Numerics numerics = exact_numerics();
  numerics.score.stored.roundoff = 0x1p-5;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 1, -16);
  });
  expect_reached(here, {}, {"dV", 1}, 0.8);
}

TEST(RecomputedWeights, Exponential) {
  Numerics numerics = exact_numerics();
  numerics.weight.exp_error = u;
  const GradientCase here("shape=1x1x1x61x1 dtype=f64 score=bias:full", numerics, alternating_keys);
  expect_reached(here, {}, {"dV", 1}, 0.95);
  expect_reached(here, {}, {"dQ"}, 0.95);
  expect_reached(here, {.delta_from_rows = true}, {"dbias", 1}, 0.95);
}

TEST(RecomputedWeights, OfASink) {
  Numerics numerics = exact_numerics();
  numerics.weight.exp_error = u;
  const GradientCase here("shape=1x1x1x61x1 dtype=f64 score=bias:full&sink:head", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.bias->view(), -0x1p-10);
    inputs.bias->view().set(0, 0, 0, 0, 0);
    inputs.sink->view().set(0, 0, 0, 0, -1);
  });
  expect_reached(here, {.delta_from_rows = true}, {"dsink"}, 0.95);
}

/// dP of two signs: delta is 0.
void opposite_values(Inputs& inputs) {
  fill_plainly(inputs);
  inputs.key.view().set(0, 0, 1, 0, -1);
  inputs.value.view().set(0, 0, 1, 0, -1);
}

TEST(RecomputedWeights, LogSumExpThatIsStored) {
  Numerics numerics = exact_numerics();
  numerics.output.log_sum_exp_roundoff = u;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, opposite_values);
  for (const std::string gradient : {"dQ", "dV", "dbias"}) expect_reached(here, {}, {gradient}, 0.99);
  const GradientCase keys("shape=1x1x1x2x1 dtype=f64", numerics, [](Inputs& inputs) {
    opposite_values(inputs);
    fill(inputs.key.view(), 0);
    fill(inputs.query.view(), 1);
  });
  expect_reached(keys, {}, {"dK"}, 0.99);
  const GradientCase sink("shape=1x1x1x2x1 dtype=f64 score=sink:head", numerics, fill_plainly);
  expect_reached(sink, {.delta_from_rows = true}, {"dsink"}, 0.99);
}

TEST(RecomputedWeights, Cast) {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.roundoff = u;
  const GradientCase here("shape=1x1x4x1x1 dtype=f64", numerics, fill_plainly);
  expect_reached(here, {}, {"dV"}, 0.99);
}

}  // namespace
}  // namespace attestone::emulation
