// SPDX-License-Identifier: Apache-2.0
// The probabilistic bound of sums at its worst: sums that cancel, see nothing of what is added, lean, or hold more than
// the truth does.
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

/// No sum is larger than one addend, and products round by more than additions.
TEST(LikelyTightness, ProductsOfValuesThatCancel) {
  BareRow row({0, 0, 0, 0}, {-1, 1, -1, 1});
  row.numerics.value.accumulator.roundoff = 0x1p-12;
  expect_reached(row, {.products = 1, .additions = 1}, {0.3, 0.6});
}

/// A sum that is large on its way from one end to the other, and 0 before and after.
TEST(LikelyTightness, SumsBetweenTwoKeysThatCancel) {
  std::vector<double> scores(66, 0), values(66, 0);
  values[0] = -1, values[65] = 1;
  for (std::size_t j = 1; j < 65; ++j) values[j] = j % 2 ? 0.003 : -0.003;
  BareRow row(scores, values);
  row.numerics.value.accumulator.roundoff = 0x1p-10;
  expect_reached(row, {.products = 1, .additions = 1}, {0.3, 0.85});
}

/// Values that cancel at once in the order of the keys cancel last in another order.
TEST(LikelyTightness, SumsInAnyOrderOfTheKeys) {
  const std::vector<double> scores(66, 0);
  std::vector<double> at_once{1, -1}, at_last{1};
  for (int j = 0; j < 64; ++j) {
    at_once.push_back(j % 2 ? 0.003 : -0.003);
    at_last.push_back(at_once.back());
  }
  at_last.push_back(-1);
  BareRow row(scores, at_once), visited(scores, at_last);
  row.numerics.value.accumulator.roundoff = visited.numerics.value.accumulator.roundoff = 0x1p-10;
  row.numerics.weight.visits = Visits::any;
  expect_reached(row, worst_answer(visited, {.products = 1, .additions = 1}), {0.4, 0.4});
}

/// V cancels, in every stride of keys too, but not with weights that err: then the sum is larger than any of the truth.
TEST(LikelyTightness, SumsThatWrongWeightsMakeLarge) {
  std::vector<double> scores{0}, values{0}, signs{0};
  for (unsigned j = 0; j < 1000; ++j) {
    scores.push_back(j < 512 ? -0.001 : -3);
    values.push_back(std::popcount(j) % 2 ? 1 : -1);
    signs.push_back(j < 512 ? values.back() : 0);
  }
  BareRow row(scores, values);
  row.numerics.weight.exp_error = 0x1p-5;
  row.numerics.value.accumulator.roundoff = 0x1p-11;
  expect_reached(row, {.exponentials = signs, .products = 1, .additions = 1}, {0.04, 0.8});
}

/// Each rescaling of the online softmax rounds the sum once more.
TEST(LikelyTightness, RescalingsRoundTheSums) {
  std::vector<double> scores, values(8, 0.01);
  for (int j = 0; j < 8; ++j) scores.push_back(0.001 * j);
  values[0] = 1;
  BareRow sums(scores, values), denominators(scores, std::vector<double>(8, 1));
  sums.numerics.weight.tile_keys = denominators.numerics.weight.tile_keys = 1;
  sums.numerics.value.accumulator.roundoff = 0x1p-12;
  expect_reached(sums, {.products = 1, .additions = 1, .rescalings = 1}, {0.85, 0.85});
  denominators.numerics.weight.accumulator.roundoff = 0x1p-12;
  expect_reached(denominators, {.denominator = -1, .rescalings = 1}, {0.4, 0.4});
}

/// Addends that the sum before them swallows: smaller than a window, or one by one in different windows of one cell.
TEST(LikelyTightness, TailsThatASumNeverSees) {
  constexpr double u = 0x1p-12;
  for (const double size : {0.01, 0.4}) {
    std::vector<double> scores{0};
    for (int j = 0; j < 2000; ++j) scores.push_back(std::log(u * size * (1 + 0.0001 * j)));
    BareRow of_values(scores, std::vector<double>(scores.size(), 1)), of_weights = of_values;
    of_values.numerics.value.accumulator.roundoff = u;
    expect_reached(of_values, {.additions = -1}, {0, 0.9});
    of_weights.numerics.weight.accumulator.roundoff = u;
    expect_reached(of_weights, {.denominator = -1}, {0, 0.9});
  }
}

/// Addends of all sizes, cut by half of what cutting may take: their average.
TEST(LikelyTightness, TruncationDrifts) {
  constexpr double u = 0x1p-20;
  std::vector<double> scores{0};
  for (int j = 0; j < 4096; ++j) scores.push_back(std::log(u * (3 + 0.026 * j)));
  BareRow of_values(scores, std::vector<double>(scores.size(), 1)), of_weights = of_values;
  of_values.numerics.value.accumulator.truncates = of_weights.numerics.weight.accumulator.truncates = true;
  of_values.numerics.value.accumulator.roundoff = u;
  expect_reached(of_values, {.products = -0.5, .additions = -0.5}, {0.3, 0.6});
  of_weights.numerics.weight.accumulator.roundoff = u;
  expect_reached(of_weights, {.denominator = -0.5}, {0.3, 0.6});
}

}  // namespace
}  // namespace attestone::emulation
