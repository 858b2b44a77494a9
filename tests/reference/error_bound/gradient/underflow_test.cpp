// SPDX-License-Identifier: Apache-2.0
// What leaves the normal range of an accumulator or of a cast, all against one element.
#include <gtest/gtest.h>

#include "reference/call/dropout.hpp"
#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

constexpr double eta = 0x1p-60;

Numerics sums_underflow() {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.underflow = eta;
  return numerics;
}

/// dO is read, multiplied with a weight of one half and added, each below the normal range.
// slow: tries many roundings
TEST(GradientUnderflow, OfSums) {
  const GradientCase here("shape=1x1x60x2x1 dtype=f64", sums_underflow(), [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), 0.98 * eta);
  });
  expect_reached(here, {}, {"dV"}, 0.55);
}

/// The bound on all underflows together, counted by hand; no kernel reaches it, as one underflow leaves nothing for the
/// next. dP: two operations, two factors of dropout, dO and V as they are read, 6. Delta from the rows, where the sink
/// is one more: 4 operations, all weights times dP as it is read, 1, and half of dP's own, 3. Half of both, and P X; an
/// element alone, 2 + 3 and 1.
TEST(GradientUnderflow, OfAllOperations) {
  Numerics numerics = exact_numerics();
  numerics.gradient.accumulator.underflow = 0x1p-20;
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 score=bias:full&sink:head", numerics, fill_plainly);
  EXPECT_NEAR(here.bounds.bias->deterministic(0, 0, 0, 0) * 0x1p20, (6 + 8) / 2 + 1 + 5 + 1, 1e-4);
}

/// P, which is small, times dP - delta, times the softcap's derivative, times the scale.
TEST(GradientUnderflow, OfProductsOfSmallWeights) {
  Numerics numerics = sums_underflow();
  numerics.weight.accumulator.underflow = eta;
  for (const std::string scale : {"1", "0.0625"}) {
    const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=softcap:1&sink:head scale=" + scale, numerics,
                            [](Inputs& inputs) {
                              fill_plainly(inputs);
                              fill(inputs.query.view(), 0);
                              fill(inputs.key.view(), 0x1p40);
                              inputs.sink->view().set(0, 0, 0, 0, 45);
                            });
    expect_reached(here, {.scales_score_gradients = true}, {"dQ"}, 0.3);
  }
}

/// One product or result after another, each just below the normal range again: the last in units of the scale.
TEST(GradientUnderflow, OfOneProductAfterAnother) {
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 score=softcap:1&sink:head scale=0.5", sums_underflow(),
                          [](Inputs& inputs) {
                            fill_plainly(inputs);
                            fill(inputs.key.view(), 0x1p40);
                            fill(inputs.query.view(), 0.2 * 0x1p-40);
                            fill(inputs.dout->view(), 0.25);
                            inputs.sink->view().set(0, 0, 0, 0, 45);
                          });
  expect_reached(here, {.scales_score_gradients = true}, {"dQ"}, 0.3);
}

/// Underflows before the derivative are multiplied by it, those after it are not.
TEST(GradientUnderflow, BehindASmallDerivative) {
  const GradientCase here("shape=1x1x1x1x1 dtype=f64 score=softcap:1&sink:head scale=0.0625", sums_underflow(),
                          [](Inputs& inputs) {
                            fill_plainly(inputs);
                            fill(inputs.key.view(), 0x1p40);
                            fill(inputs.query.view(), 128 * 0x1p-40);
                            inputs.sink->view().set(0, 0, 0, 0, 45);
                          });
  expect_reached(here, {.scales_score_gradients = true}, {"dQ"}, 0.5);
}

/// Subnormal k, q and dO, which a kernel reads as zero, times numbers that are large.
TEST(GradientUnderflow, OfOperandsReadAsZero) {
  const Numerics numerics = default_numerics(dtype("f32"), dtype("f32"));
  const BackwardRecipe flushing{.forward = {.name = "flushing", .flush = true}};
  const auto share = [&](const GradientCase& here, std::size_t gradient) {
    const double reached = here.shares(here.run(flushing))[gradient].second.deterministic;
    EXPECT_LE(reached, 1);
    EXPECT_GE(reached, 0.9);
  };
  share(GradientCase("shape=1x1x1x2x1", numerics,
                     [](Inputs& inputs) {
                       fill_plainly(inputs);
                       inputs.key.view().set(0, 0, 0, 0, 0x1.fp-127);
                       inputs.key.view().set(0, 0, 1, 0, 0);
                       inputs.value.view().set(0, 0, 0, 0, 1000);
                       inputs.value.view().set(0, 0, 1, 0, -1000);
                     }),
        0);
  share(GradientCase("shape=1x1x1x2x1", numerics,
                     [](Inputs& inputs) {
                       fill_plainly(inputs);
                       fill(inputs.query.view(), 0x1.fp-127);
                       fill(inputs.key.view(), 0);
                       inputs.value.view().set(0, 0, 0, 0, 1000);
                       inputs.value.view().set(0, 0, 1, 0, -1000);
                     }),
        1);
}

/// The query times the scale, rounded to a narrow format before the products with K and with dS.
TEST(GradientUnderflow, OfScaledQuery) {
  Numerics numerics = exact_numerics();
  numerics.score.prescale = {.roundoff = 0x1p-11, .underflow = 0x1p-25, .smallest_normal = 0x1p-14};
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 scale=0.125", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.query.view(), 0x1p-23);
    fill(inputs.key.view(), 0);
    inputs.value.view().set(0, 0, 1, 0, -1);
  });
  expect_reached(here, {}, {"dK"}, 0.95);
}

/// In units of the scaled gradient.
TEST(GradientUnderflow, OfCastScoreGradients) {
  Numerics numerics = exact_numerics();
  numerics.gradient.cast.roundoff = 0x1p-20;
  numerics.gradient.cast.underflow = eta;
  numerics.gradient.cast.smallest_normal = 0x1p20 * eta;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 scale=0.0625", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), 0x1p-42);
    inputs.key.view().set(0, 0, 1, 0, -1);
    inputs.value.view().set(0, 0, 1, 0, -1);
  });
  expect_reached(here, {.scales_score_gradients = true}, {"dQ"}, 0.9);
}

/// Every dP below the normal range of what it is stored in.
TEST(GradientUnderflow, OfProjections) {
  Numerics numerics = exact_numerics();
  numerics.gradient.stored = {.roundoff = 0x1p-30, .underflow = eta, .largest = 1, .smallest_normal = 0x1p20 * eta};
  const GradientCase here("shape=1x1x1x2x1 dtype=f64", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    fill(inputs.dout->view(), 0x1p-42);
    inputs.key.view().set(0, 0, 1, 0, -1);
    inputs.value.view().set(0, 0, 1, 0, -1);
  });
  expect_reached(here, {}, {"dQ"}, 0.9);
}

/// Where it is stored, the factor of dropout comes after it.
TEST(GradientUnderflow, OfProjectionsBeforeDropout) {
  Numerics numerics = exact_numerics();
  numerics.gradient.stored = {.roundoff = 0x1p-30, .underflow = eta, .largest = 1, .smallest_normal = 0x1p20 * eta};
  const GradientCase here("shape=1x1x1x4x1 dtype=f64 dropout=0.96875 score=bias:full seed=10", numerics,
                          [](Inputs& inputs) {
                            fill_plainly(inputs);
                            fill(inputs.dout->view(), 0x1p-45);
                          });
  ASSERT_TRUE(Dropout(here.problem).keeps({0, 0, 0, 0}));
  expect_reached(here, {.dropout_of_delta = true}, {"dbias"}, 0.75);
}

/// Every weight below the normal range of its cast, where it meets dP - delta.
TEST(GradientUnderflow, OfWeightsInScoreGradients) {
  Numerics numerics = exact_numerics();
  numerics.gradient.weight = {.roundoff = 0x1p-20, .underflow = 0x1p-25, .smallest_normal = 0x1p-14};
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.value.view().set(0, 0, 1, 0, -1);
    inputs.bias->view().set(0, 0, 0, 1, -12);
  });
  expect_reached(here, {}, {"dbias", 1}, 0.95);
}

/// Every cast weight below the normal range, in dV and in delta of the rows.
TEST(GradientUnderflow, OfCastWeights) {
  Numerics numerics = exact_numerics();
  numerics.weight.cast.underflow = 0x1p-25;
  numerics.weight.cast.smallest_normal = 0x1p-14;
  const GradientCase here("shape=1x1x1x2x1 dtype=f64 score=bias:full", numerics, [](Inputs& inputs) {
    fill_plainly(inputs);
    inputs.bias->view().set(0, 0, 0, 1, -12);
  });
  expect_reached(here, {}, {"dV", 1}, 0.9);
}

}  // namespace
}  // namespace attestone::emulation
