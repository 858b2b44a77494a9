// SPDX-License-Identifier: Apache-2.0
// Casts of the gradients of scores and of weights: all one way, in windows, and in the gain of a whole gradient.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-8;

Numerics cast_score_gradients() {
  Numerics numerics = exact_numerics();
  numerics.gradient.cast.roundoff = u;
  return numerics;
}
Numerics cast_weights() {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.roundoff = u;
  return numerics;
}

Numerics cast_weights_of_score_gradients() {
  Numerics numerics = exact_numerics();
  numerics.gradient.weight.roundoff = u;
  return numerics;
}

Numerics stored_projections() {
  Numerics numerics = exact_numerics();
  numerics.gradient.stored.roundoff = u;
  return numerics;
}

void opposite_keys(Inputs& inputs) {
  fill_plainly(inputs);
  for (index j = 1; j < inputs.key.view().extents()[2]; j += 2) {
    inputs.key.view().set(0, 0, j, 0, -1);
    inputs.value.view().set(0, 0, j, 0, -1);
  }
}

TEST(GradientCasts, OfScoreGradients) {
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", cast_score_gradients(), opposite_keys);
  expect_reached(here, {}, {"dQ"}, 0.99);
  expect_reached(here, {}, {"dbias"}, 0.99);
}

TEST(GradientCasts, OfWeightsInScoreGradients) {
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", cast_weights_of_score_gradients(),
                          opposite_keys);
  expect_reached(here, {}, {"dQ"}, 0.99);
  expect_reached(here, {}, {"dbias"}, 0.99);
}

/// Casts of dP, whose numbers have one sign and leave little in dS.
TEST(GradientCasts, OfProjections) {
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", stored_projections(), [](Inputs& inputs) {
    opposite_keys(inputs);
    inputs.value.view().set(0, 0, 0, 0, 4), inputs.value.view().set(0, 0, 1, 0, 3);
  });
  expect_reached(here, {}, {"dQ"}, 0.95);
  expect_reached(here, {.delta_from_rows = true}, {"dbias"}, 0.95);
}

/// Numbers so near to each other that they lie in one cell of the format: their casts err alike.
TEST(GradientCasts, OfNeighboursErrAlike) {
  const GradientCase here("shape=1x1x1x200x1 dtype=f64 score=bias:full", cast_score_gradients(), [](Inputs& inputs) {
    opposite_keys(inputs);
    for (index j = 0; j < 200; ++j) inputs.bias->view().set(0, 0, 0, j, 1e-7 * static_cast<double>(j));
  });
  expect_reached(here, {}, {"dQ"}, 0.95);
}

/// Weights in 400 different windows add in quadrature, and nothing else errs.
TEST(GradientCasts, OfDifferentWeightsAddInQuadrature) {
  const GradientCase here("shape=1x1x400x2x1 dtype=f64 score=bias:full", cast_weights(), [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index i = 0; i < 400; ++i) inputs.bias->view().set(0, 0, i, 1, 0.005 * static_cast<double>(i));
  });
  double squares = 0, sum = 0;
  for (int i = 0; i < 400; ++i) {
    const double p = 1 / (1 + std::exp(-0.005 * i));
    squares += p * p;
    sum += p;
  }
  EXPECT_NEAR(here.bounds.value.probabilistic(0, 0, 1, 0) / (9 * u * std::sqrt(squares)), 1, 1e-9);
  EXPECT_NEAR(here.bounds.value.deterministic(0, 0, 1, 0) / (u * sum), 1, 1e-9);
}

}  // namespace
}  // namespace attestone::emulation
