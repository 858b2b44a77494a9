// SPDX-License-Identifier: Apache-2.0
// The roundings of products, of dP, of the scale and of results, all against one element.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-20;

Numerics rounded_sums() {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.roundoff = u;
  return numerics;
}
Numerics rounded_operands() {
  Numerics numerics = exact_numerics();
  numerics.gradient.operand_roundoff = u;
  return numerics;
}

/// Keys whose values and whose k are opposite in turn: delta is 0, and dQ a sum of equal products.
void opposite_keys(Inputs& inputs) {
  fill_plainly(inputs);
  for (index j = 1; j < inputs.key.view().extents()[2]; j += 2) {
    inputs.key.view().set(0, 0, j, 0, -1);
    inputs.value.view().set(0, 0, j, 0, -1);
  }
}

/// dP - delta, P, f and the scale; f itself; dP; the sum; the scale again.
TEST(GradientSums, ProductsDerivativeAndScale) {
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=softcap:1", rounded_sums(), opposite_keys);
  expect_reached(here, {}, {"dQ"}, 0.85);
  expect_reached(here, {.scales_score_gradients = true}, {"dQ"}, 0.78);
}

/// The hyperbolic tangent moves score and derivative.
TEST(GradientSums, DerivativeOfTheSoftcap) {
  Numerics numerics = exact_numerics();
  numerics.score.tanh_error = u;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=softcap:1", numerics, [](Inputs& inputs) {
    opposite_keys(inputs);
    fill(inputs.query.view(), 2);
  });
  expect_reached(here, {}, {"dQ"}, 0.8);
}

/// The products of the second channel and the first cancel, but their roundings do not.
TEST(GradientSums, ProjectedValuesThatCancel) {
  const GradientCase here("shape=1x1x1x2x1:60 dtype=f64 score=bias:full", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 1, 20);
    fill(inputs.value.view(), 0);
    inputs.value.view().set(0, 0, 0, 0, 1);
    inputs.value.view().set(0, 0, 0, 59, -1);
  });
  expect_reached(here, {}, {"dbias"}, 0.45);
}

TEST(GradientSums, ProjectedValuesOfManyChannels) {
  const GradientCase here("shape=1x1x1x2x1:60 dtype=f64 score=bias:full", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 1, 20);
    for (index c = 0; c < 60; ++c) inputs.value.view().set(0, 0, 1, c, 0);
    for (index c = 1; c < 60; ++c) inputs.value.view().set(0, 0, 0, c, 0x1p-20);
  });
  expect_reached(here, {}, {"dbias"}, 0.85);
}

TEST(GradientSums, Operands) {
  const GradientCase opposite("shape=1x1x1x2x1 dtype=f64", rounded_operands(), opposite_keys);
  expect_reached(opposite, {}, {"dQ"}, 0.99);
  expect_reached(opposite, {}, {"dV"}, 0.99);
  const GradientCase keys("shape=1x1x1x2x1 dtype=f64", rounded_operands(), [](Inputs& inputs) {
    opposite_keys(inputs);
    fill(inputs.query.view(), 1);
    fill(inputs.key.view(), 0);
  });
  expect_reached(keys, {.delta_from_rows = true}, {"dK"}, 0.99);
}

TEST(GradientSums, ScaledQuery) {
  Numerics numerics = exact_numerics();
  numerics.score.prescale.roundoff = u;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64", numerics, [](Inputs& inputs) {
    opposite_keys(inputs);
    fill(inputs.query.view(), 1);
    fill(inputs.key.view(), 0);
  });
  expect_reached(here, {}, {"dK"}, 0.99);
}

/// Results are rounded when they are stored. A kernel may also round those of each head before it adds them up.
TEST(GradientSums, StoredResults) {
  Numerics numerics = exact_numerics();
  numerics.output.cast.roundoff = u;
  const GradientCase here("shape=1x4/1x1x1x1 dtype=f64", numerics, fill_plainly);
  expect_reached(here, {}, {"dV"}, 0.49);
  expect_reached(here, {.heads_apart = true}, {"dV"}, 0.99);
  Numerics underflowing = exact_numerics();
  underflowing.output.cast.underflow = underflowing.output.cast.smallest_normal = 8;
  const GradientCase small("shape=1x4/1x1x1x1 dtype=f64", underflowing, fill_plainly);
  expect_reached(small, {.heads_apart = true}, {"dV"}, 0.79);
  const GradientCase alone("shape=1x1x1x1x1 dtype=f64", underflowing, fill_plainly);
  expect_reached(alone, {}, {"dV"}, 0.99);
}

/// Shares that four devices give to one key are stored and handed on: the first share four times.
TEST(GradientSums, StoredParts) {
  Numerics numerics = exact_numerics();
  numerics.gradient.parts = 4;
  numerics.gradient.part.roundoff = u;
  const auto one_large_share = [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index i = 1; i < 4; ++i) inputs.dout->view().set(0, 0, i, 0, 0x1p-10);
  };
  const GradientCase here("shape=1x1x4x1x1 dtype=f64", numerics, one_large_share);
  expect_reached(here, {}, {"dV"}, 0.99);
  numerics.gradient.part = {.roundoff = 0, .underflow = 0x1p-20, .largest = 1e300, .smallest_normal = 1e6};
  const GradientCase small("shape=1x1x4x1x1 dtype=f64", numerics, fill_plainly);
  expect_reached(small, {}, {"dV"}, 0.99);
}

}  // namespace
}  // namespace attestone::emulation
