// SPDX-License-Identifier: Apache-2.0
// The roundings of long sums over rows and keys, all against one element.
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

/// Keys whose values and whose k are opposite in turn: delta is 0, and dQ a sum of equal products.
void opposite_keys(Inputs& inputs) {
  fill_plainly(inputs);
  for (index j = 1; j < inputs.key.view().extents()[2]; j += 2) {
    inputs.key.view().set(0, 0, j, 0, -1);
    inputs.value.view().set(0, 0, j, 0, -1);
  }
}

/// The first addend is nearly all of the sum, and every later addition rounds it.
TEST(GradientSums, OfManyRowsWithOneHeavy) {
  const GradientCase here("shape=1x1x60x1x1 dtype=f64", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index i = 1; i < 60; ++i) inputs.dout->view().set(0, 0, i, 0, 0x1p-20);
  });
  expect_reached(here, {}, {"dV"}, 0.95);
}

/// Each block cuts its four addends and the result; the accumulator only where it is not the largest.
TEST(GradientSums, ThatTruncate) {
  Numerics numerics = rounded_sums();
  numerics.gradient.accumulator.truncates = true;
  const GradientCase here("shape=1x1x60x1x1 dtype=f64", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index i = 1; i < 60; ++i) inputs.dout->view().set(0, 0, i, 0, 0x1p-20);
  });
  expect_reached(here, {}, {"dV"}, 0.79);
}

TEST(GradientSums, OfManyRowsAlike) {
  const GradientCase here("shape=1x1x60x1x1 dtype=f64", rounded_sums(), fill_plainly);
  expect_reached(here, {}, {"dV"}, 0.48);
}

// slow: tries many roundings
TEST(GradientSums, OfASinkInManyRows) {
  const GradientCase here("shape=1x1x60x1x1 dtype=f64 score=sink:head", rounded_sums(), [](Inputs& inputs) {
    fill_plainly(inputs);
    for (index i = 1; i < 60; ++i) inputs.dout->view().set(0, 0, i, 0, 0x1p-20);
  });
  expect_reached(here, {.delta_from_rows = true}, {"dsink"}, 0.88);
}

// slow: tries many roundings
TEST(GradientSums, OfABiasInManyRows) {
  const GradientCase here("shape=1x1x60x2x1 dtype=f64 score=bias:key", rounded_sums(), [](Inputs& inputs) {
    opposite_keys(inputs);
    for (index i = 0; i < 60; ++i) inputs.dout->view().set(0, 0, i, 0, i == 0 ? 1 : 0x1p-20);
  });
  expect_reached(here, {.delta_from_rows = true}, {"dbias"}, 0.9);
}

TEST(GradientSums, OfManyKeys) {
  const GradientCase here("shape=1x1x1x60x1 dtype=f64", rounded_sums(), opposite_keys);
  expect_reached(here, {}, {"dQ"}, 0.5);
}

}  // namespace
}  // namespace attestone::emulation
