// SPDX-License-Identifier: Apache-2.0
// Weights, dP and delta below the normal range.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double eta = 0x1p-60;

Numerics sums_underflow() {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.underflow = eta;
  return numerics;
}

/// A weight times the factor of dropout, and then a dO that is large.
TEST(GradientUnderflow, OfDroppedWeights) {
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 dropout=0.5 score=sink:head", sums_underflow(),
                          [](Inputs& inputs) {
                            fill_plainly(inputs);
                            fill(inputs.dout->view(), 0x1p20);
                            inputs.sink->view().set(0, 0, 0, 0, 45);
                          });
  ASSERT_TRUE(Dropout(here.problem).keeps({0, 0, 0, 0}));
  expect_reached(here, {}, {"dV"}, 0.99);
}

/// Exponentials, and their quotients by the denominator.
TEST(GradientUnderflow, OfRecomputedWeights) {
  Numerics numerics = exact_numerics();
  numerics.weight.accumulator.underflow = eta;
  const GradientCase small("shape=1x1x1x1x1 dtype=f64 score=sink:head", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.key.view(), 0x1p40);
    inputs.sink->view().set(0, 0, 0, 0, 45);
  });
  expect_reached(small, {.softmax_again = true}, {"dV"}, 0.99);
  expect_reached(small, {.softmax_again = true}, {"dQ"}, 0.99);
}

/// The product of log_sum_exp with log2 e, and the difference of score and that.
TEST(GradientUnderflow, OfLogSumExp) {
  Numerics numerics = exact_numerics();
  numerics.weight.accumulator.underflow = 0x1p-20;
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 0, 0x1p-30);
  });
  expect_reached(here, {.log2_e_first = true}, {"dV"}, 0.49);
  // These two, and the two of a weight, which is 1 here and loses nothing.
  EXPECT_NEAR(here.bounds.value.deterministic(0, 0, 0, 0) * 0x1p20, 4, 1e-4);
}

/// Products of many weights with dP.
TEST(GradientUnderflow, OfDeltaFromRows) {
  const GradientCase here("shape=1x1x1x60x1 dtype=f64 score=sink:head", sums_underflow(), [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), 2 * eta);
    inputs.sink->view().set(0, 0, 0, 0, 8);
  });
  expect_reached(here, {.delta_from_rows = true}, {"dsink"}, 0.3);
}

/// A weight that lies below the normal range only when it is divided, times a dP that is large.
void small_weight_and_large_value(Inputs& inputs, double normal) {
  fill_plainly(inputs);
  inputs.bias->view().set(0, 0, 0, 2, std::log(normal) + 0.3);
  inputs.value.view().set(0, 0, 2, 0, 0x1p20);
}

TEST(GradientUnderflow, OfAWeightInDelta) {
  Numerics numerics = sums_underflow();
  numerics.weight.accumulator.underflow = eta;
  const GradientCase here("shape=1x1x1x3x1 dtype=f64 score=bias:full", numerics,
                          [](Inputs& inputs) { small_weight_and_large_value(inputs, eta); });
  expect_reached(here, {.delta_from_rows = true}, {"dbias"}, 0.4);
}

TEST(GradientUnderflow, OfACastWeightInDelta) {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.underflow = numerics.weight.cast.smallest_normal = 0x1p-14;
  const GradientCase here("shape=1x1x1x3x1 dtype=f64 score=bias:full", numerics,
                          [](Inputs& inputs) { small_weight_and_large_value(inputs, 0x1p-14); });
  expect_reached(here, {.delta_from_rows = true}, {"dbias"}, 0.9);
}

/// The sink weighs nearly all, and what the keys' own sums lose is little.
TEST(GradientUnderflow, OfDelta) {
  const GradientCase here("shape=1x1x1x1x1:64 dtype=f64 score=sink:head", sums_underflow(), [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), eta);
    inputs.sink->view().set(0, 0, 0, 0, 20);
  });
  expect_reached(here, {}, {"dsink"}, 0.45);
}

TEST(GradientUnderflow, OfProjectedValues) {
  const GradientCase here("shape=1x1x1x2x1:64 dtype=f64", sums_underflow(), [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), 0.98 * eta);
    fill(inputs.value.view(), 0.5);
    inputs.key.view().set(0, 0, 0, 0, 0x1p40);
    inputs.key.view().set(0, 0, 1, 0, -0x1p40);
  });
  expect_reached(here, {}, {"dQ"}, 0.45);
}

}  // namespace
}  // namespace attestone::emulation
