// SPDX-License-Identifier: Apache-2.0
// The gain of a whole gradient: casts, roundings of results and the error of delta, all one way.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-12;

void opposite_keys(Inputs& inputs) {
  fill_plainly(inputs);
  inputs.key.view().set(0, 0, 1, 0, -1);
  inputs.value.view().set(0, 0, 1, 0, -1);
}

/// One value and one k are larger than the others: dQ and delta are not 0.
void one_larger_key(Inputs& inputs) {
  fill_plainly(inputs);
  inputs.value.view().set(0, 0, 0, 0, 1.125);
  inputs.key.view().set(0, 0, 0, 0, 2);
}
/// One value is larger: dK and delta are not 0. The pairs of dK have different signs, so that the errors of delta
/// cancel in part: only the sum reaches the bound.
void one_larger_value(Inputs& inputs) {
  one_larger_key(inputs);
  inputs.bias->view().set(0, 0, 0, 0, 1);
  fill(inputs.key.view(), 0);
  fill(inputs.query.view(), 1);
}

TEST(GradientGainReached, CastsOfScoreGradients) {
  Numerics numerics = exact_numerics();
  numerics.gradient.cast.roundoff = u;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64", numerics, opposite_keys);
  expect_gain_reached(here, {}, "dQ", 0.99);
  const GradientCase keys("shape=1x1x1x2x1 dtype=f64", numerics, [](Inputs& inputs) {
    opposite_keys(inputs);
    fill(inputs.key.view(), 0);
    fill(inputs.query.view(), 1);
  });
  expect_gain_reached(keys, {}, "dK", 0.99);
}

/// Casts of weights reach the bound in dV, and through delta in dQ and dK.
TEST(GradientGainReached, CastsOfWeights) {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.roundoff = u;
  const GradientCase values("shape=1x1x1x2x1 dtype=f64", numerics, fill_plainly);
  expect_gain_reached(values, {}, "dV", 0.99);
  const GradientCase queries("shape=1x1x1x4x1 dtype=f64", numerics, one_larger_key);
  expect_gain_reached(queries, {}, "dQ", 0.99);
  // Two channels of V, in whose dP the casts cancel in part.
  const GradientCase channels("shape=1x1x1x4x1:2 dtype=f64", numerics, [](Inputs& inputs) {
    one_larger_key(inputs);
    for (index j = 0; j < 4; ++j) inputs.value.view().set(0, 0, j, 1, -0.5);
  });
  expect_gain_reached(channels, {}, "dQ", 0.9);
  const GradientCase keys("shape=1x1x1x4x1 dtype=f64 score=bias:full", numerics, one_larger_value);
  expect_gain_reached(keys, {}, "dK", 0.9);
}

TEST(GradientGainReached, RoundingsOfResults) {
  Numerics numerics = exact_numerics();
  numerics.output.cast.roundoff = u;
  const GradientCase values("shape=1x1x1x2x1 dtype=f64", numerics, fill_plainly);
  expect_gain_reached(values, {}, "dV", 0.99);
  const GradientCase queries("shape=1x1x1x4x1 dtype=f64", numerics, one_larger_key);
  expect_gain_reached(queries, {}, "dQ", 0.99);
}

/// Casts of each pair's dS reach the bound in the bias, and roundings of O in the sink, which reads delta.
TEST(GradientGainReached, OfBiasAndSink) {
  Numerics numerics = exact_numerics();
  numerics.gradient.cast.roundoff = u;
  const GradientCase casts("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, opposite_keys);
  expect_gain_reached(casts, {}, "dbias", 0.99);
  numerics = exact_numerics();
  numerics.output.cast.roundoff = u;
  const GradientCase rounded("shape=1x1x1x2x1 dtype=f64 score=bias:full&sink:head", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.sink->view().set(0, 0, 0, 0, -1);
  });
  expect_gain_reached(rounded, {}, "dsink", 0.9);
}

/// Delta errs by the roundings of a long sum.
TEST(GradientGainReached, DeltaOfALongSum) {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.roundoff = 0x1p-20;
  const auto two_of_sixty = [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.bias->view(), -20);
    inputs.bias->view().set(0, 0, 0, 0, 0);
    inputs.bias->view().set(0, 0, 0, 1, 0);
    inputs.value.view().set(0, 0, 0, 0, 2);
    inputs.key.view().set(0, 0, 0, 0, 2);
  };
  const GradientCase here("shape=1x1x1x60x1 dtype=f64 score=bias:full", numerics, two_of_sixty);
  expect_gain_reached(here, {.delta_from_rows = true}, "dQ", 0.8);
}

}  // namespace
}  // namespace attestone::emulation
