// SPDX-License-Identifier: Apache-2.0
// The error of delta, in both ways to compute it, and how it reaches the gradients.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-20;
const Form from_rows{.delta_from_rows = true};

Numerics rounded_sums() {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.roundoff = u;
  return numerics;
}

/// Where all values are 1, dP - delta is 0, and what is left of dS is the error of delta.
TEST(GradientDelta, OfStoredOutReachesEveryGradient) {
  Numerics numerics = exact_numerics();
  numerics.output.cast.roundoff = u;
  const GradientCase here("shape=1x1x1x4x1 dtype=f64 score=bias:full&sink:head", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.query.view(), 1);
    fill(inputs.key.view(), 0x1p-30);
    inputs.sink->view().set(0, 0, 0, 0, -20);
  });
  expect_reached(here, {}, {"dQ"}, 0.99);
  expect_reached(here, {}, {"dK"}, 0.99);
  expect_reached(here, {}, {"dbias"}, 0.99);
  expect_reached(here, {}, {"dsink"}, 0.99);
}

/// O that stays in the accumulator; what it weighs in delta cancels, and its rounding does not.
TEST(GradientDelta, OfKeptOut) {
  Numerics numerics = exact_numerics();
  numerics.weight.normalised = true;
  numerics.gradient.delta_from_rounded_out = false;
  numerics.output.accumulator.roundoff = u;
  const GradientCase here("shape=1x1x1x4x1:2 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index j = 0; j < 4; ++j) inputs.value.view().set(0, 0, j, 1, -1);
  });
  expect_reached(here, {}, {"dbias"}, 0.99);
}

/// k has two signs: what delta sends to dQ cancels but for the errors of the weights.
TEST(GradientDelta, MeetsWeightsThatErr) {
  Numerics numerics = exact_numerics();
  numerics.weight.exp_error = 0x1p-4;
  const GradientCase here("shape=1x1x1x61x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.bias->view(), -1);
    inputs.bias->view().set(0, 0, 0, 0, 0);
    for (index j = 0; j < 61; ++j) inputs.key.view().set(0, 0, j, 0, j == 0 ? 0 : j % 2 ? 1 : -1);
  });
  expect_reached(here, from_rows, {"dQ"}, 0.5);
}

TEST(GradientDelta, SumOverManyKeys) {
  const GradientCase here("shape=1x1x1x60x1 dtype=f64 score=bias:full", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.bias->view(), -20);
    inputs.bias->view().set(0, 0, 0, 0, 0);
  });
  expect_reached(here, from_rows, {"dbias"}, 0.85);
}

/// O is 0, and so is sum dO O; but dP is not.
TEST(GradientDelta, ProjectedValuesOfOppositeKeys) {
  const GradientCase here("shape=1x1x1x2x1:60 dtype=f64 score=bias:full", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index c = 0; c < 60; ++c) {
      inputs.value.view().set(0, 0, 0, c, c == 0 ? 1 : 0x1p-20);
      inputs.value.view().set(0, 0, 1, c, c == 0 ? -1 : -0x1p-20);
    }
  });
  expect_reached(here, from_rows, {"dbias"}, 0.85);
  expect_reached(here, from_rows, {"dQ"}, 0.85);
}

TEST(GradientDelta, WeightsThatErr) {
  Numerics numerics = exact_numerics();
  numerics.weight.exp_error = u;
  const GradientCase here("shape=1x1x1x60x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.bias->view(), -1);
    inputs.bias->view().set(0, 0, 0, 0, 0);
  });
  expect_reached(here, from_rows, {"dQ"}, 0.95);
}

/// The denominator shares the cast, and only the sum over the keys does not know.
TEST(GradientDelta, CastOfWeights) {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.roundoff = u;
  numerics.weight.denominator_sums_cast = true;
  const GradientCase here("shape=1x1x1x4x1 dtype=f64", numerics, fill_plainly);
  expect_reached(here, from_rows, {"dQ"}, 0.99);
}

/// A rate near 1, which is rounded before it is subtracted from 1: in dP, of which delta is the sum, and where delta is
/// multiplied by it.
TEST(GradientDelta, Dropout) {
  const GradientCase here("shape=1x1x1x4x1 dtype=f64 dropout=0.96875 score=bias:full seed=10", rounded_sums(),
                          fill_plainly);
  ASSERT_TRUE(Dropout(here.problem).keeps({0, 0, 0, 0}));
  expect_reached(here, from_rows, {"dbias", 0}, 0.75);
  expect_reached(here, from_rows, {"dV", 0}, 0.85);
  ASSERT_FALSE(Dropout(here.problem).keeps({0, 0, 0, 1}));
  expect_reached(here, {.delta_from_rows = true, .dropout_of_delta = true}, {"dbias", 1}, 0.9);
}

/// O as stored and the sum over the channels err together, against dP.
// slow: tries many roundings
TEST(GradientDelta, SumOverManyChannels) {
  Numerics numerics = rounded_sums();
  numerics.output.cast.roundoff = 60 * u;
  const GradientCase here("shape=1x1x1x4x1:60 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index j = 0; j < 4; ++j)
      for (index c = 1; c < 60; ++c) inputs.value.view().set(0, 0, j, c, 0x1p-20);
  });
  expect_reached(here, {}, {"dbias"}, 0.9);
}

}  // namespace
}  // namespace attestone::emulation
