// SPDX-License-Identifier: Apache-2.0
// Each source of an answer's error alone and at its worst: the deterministic bound is reached, and never exceeded.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/dropout.hpp"
#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

/// A leader whose value is 0, and two keys behind it whose errors conspire: o = 0, and all that moves is seen.
BareRow pulled_apart() { return {{0, -0.01, -0.01}, {0, 1, -1}}; }
const std::vector<double> apart{0, 1, -1};

/// A row whose sums are their first addend, but for addends that are just large enough to be rounded.
BareRow led_by_the_first(std::size_t keys) {
  std::vector<double> scores(keys, -6);
  scores[0] = 0;
  return {scores, std::vector<double>(keys, 1)};
}

BareRow one_kept_key(const std::string& rate) {
  for (int seed = 1;; ++seed) {
    BareRow row({0}, {1}, fmt::format(" dropout={} seed={}", rate, seed));
    if (Dropout(row.problem).keeps({0, 0, 0, 0})) return row;
  }
}

TEST(AnswerTightness, ExponentialsMoveTheMean) {
  BareRow row = pulled_apart();
  row.numerics.weight.exp_error = 0x1p-8;
  expect_reached(row, {.exponentials = apart}, {0.97, 0.97});
}

/// p_0 is nearly 1 and too small, p_1 too large: what they are divided by is less than all weights.
TEST(AnswerTightness, WeightsThatAreLost) {
  BareRow row({0, 0.001, -6, -6}, {0, 0, 1, 1});
  row.numerics.weight.exp_error = 0.125;
  expect_reached(row, {.exponentials = {-1, 0, 1, 1}}, {0.5, 0.5});
}

TEST(AnswerTightness, WhollyWrongWeightsStillAverageV) {
  std::vector<double> scores(21, -0.01), values(21, 1);
  for (std::size_t j = 0; j < 10; ++j) values[j] = -1;
  scores[20] = values[20] = 0;
  BareRow row(scores, values);
  row.numerics.weight.exp_error = 0.9;
  expect_reached(row, {.exponentials = values}, {0.85, 0});
}

TEST(AnswerTightness, CastsThatTheDenominatorShares) {
  BareRow row = pulled_apart();
  row.numerics.weight.cast.roundoff = u;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = apart}, {0.99, 0.99});
}

/// The first weight is nearly all, and is cast to three quarters of it.
TEST(AnswerTightness, SharedCastsMakeTheDenominatorSmaller) {
  BareRow row({0, -6}, {0, 1});
  row.numerics.weight.cast.roundoff = 0.25;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = {-1, 1}}, {0.98, 0.98});
}

TEST(AnswerTightness, CastsOfTheNumeratorAlone) {
  BareRow row = pulled_apart();
  row.numerics.weight.cast.roundoff = u;
  expect_reached(row, {.casts = apart}, {0.99, 0.99});
}

TEST(AnswerTightness, DropoutCastsAgain) {
  BareRow row = one_kept_key("0.5");
  row.numerics.value.accumulator.roundoff = 0x1p-50;
  row.numerics.weight.cast.roundoff = u;
  row.numerics.weight.denominator_sums_cast = true;
  expect_reached(row, {.casts = {1}}, {0.98, 0.98});
}

TEST(AnswerTightness, BothOperandsOfAProduct) {
  BareRow row({0}, {1});
  row.numerics.value.operand_roundoff = u;
  expect_reached(row, {.operands = 1}, {0.99, 0.99});
}

TEST(AnswerTightness, FactorOfDropout) {
  for (const std::string rate : {"0.25", "0.75", "0.9375"}) {
    BareRow row = one_kept_key(rate);
    row.numerics.value.accumulator.roundoff = u;
    expect_reached(row, {.dropout = 1, .products = 1}, {0.8, 0.8});
  }
}

TEST(AnswerTightness, SumsOfValues) {
  for (const std::size_t keys : {1, 2, 16, 64}) {
    BareRow row = led_by_the_first(keys);
    row.numerics.value.accumulator.roundoff = u;
    expect_reached(row, {.products = 1, .additions = 1}, {0.9, 0.9});
  }
}

TEST(AnswerTightness, SumsThatTruncate) {
  BareRow row = led_by_the_first(64);
  row.numerics.value.accumulator.roundoff = u;
  row.numerics.value.accumulator.truncates = true;
  expect_reached(row, {.products = 1, .additions = 1}, {0.85, 0.85});
}

TEST(AnswerTightness, SumsOfWeights) {
  for (const std::size_t keys : {1, 2, 16, 64}) {
    BareRow row = led_by_the_first(keys);
    row.numerics.weight.accumulator.roundoff = u;
    expect_reached(row, {.denominator = -1}, {0.8, 0.85});
  }
}

/// Both sums at once, in opposite directions.
TEST(AnswerTightness, BothSums) {
  BareRow row = led_by_the_first(8);
  row.numerics.value.accumulator.roundoff = row.numerics.weight.accumulator.roundoff = u;
  expect_reached(row, {.products = 1, .additions = 1, .denominator = -1}, {0.9, 0.9});
}

/// A mean that weights have moved away from 0 is divided by a denominator that errs as well.
TEST(AnswerTightness, WhatMovedIsDividedToo) {
  std::vector<double> scores(64, -0.001), values(64, 1);
  for (std::size_t j = 0; j < 32; ++j) values[j] = -1;
  scores.push_back(0), values.push_back(0);
  BareRow row(scores, values);
  row.numerics.weight.exp_error = 0x1p-10;
  row.numerics.weight.accumulator.roundoff = 0x1p-8;
  expect_reached(row, {.exponentials = values, .denominator = -1}, {0.7, 0.8});
}

TEST(AnswerTightness, AReciprocalAndAProduct) {
  BareRow row({0}, {1});
  row.numerics.output.accumulator.roundoff = u;
  expect_reached(row, {.division = 1}, {0.99, 0.99});
}

/// Weights divided one by one: two roundings of each, and the denominator's own.
TEST(AnswerTightness, WeightsDividedBeforeTheirSum) {
  BareRow row({0}, {1});
  row.numerics.weight.accumulator.roundoff = u;
  row.numerics.weight.normalised = true;
  const long double quotient = (1 + u) * (1 + u) / (1 - u);
  expect_reached(row, quotient, {0.99, 0.99});
}

TEST(AnswerTightness, TheLastRounding) {
  BareRow row({0}, {1});
  row.numerics.output.cast.roundoff = u;
  expect_reached(row, {.output = 1}, {0.99, 0.99});
}

TEST(AnswerTightness, AnswersBelowTheNormalRange) {
  BareRow stored({0}, {1}), divided({0}, {1});
  stored.numerics.output.cast.underflow = 0x1p-20;
  divided.numerics.output.accumulator.underflow = 0x1p-20;
  expect_reached(stored, {.output = 1}, {0.99, 0.99});
  expect_reached(divided, {.output = 1}, {0.99, 0.99});
}

/// Weights just below the normal range, all of them flushed.
TEST(AnswerTightness, WeightsBelowTheNormalRange) {
  std::vector<double> scores(50, std::log(0x1p-10) - 0.01), values(50, 1);
  scores[0] = values[0] = 0;
  BareRow weights(scores, values), casts(scores, values);
  weights.numerics.weight.accumulator.underflow = 0x1p-10;
  casts.numerics.weight.cast.underflow = casts.numerics.weight.cast.smallest_normal = 0x1p-10;
  expect_reached(weights, {.flush = true}, {0.9, 0.9});
  expect_reached(casts, {.flush = true}, {0.9, 0.9});
}

TEST(AnswerTightness, SumsBelowTheNormalRange) {
  BareRow row({0, 0, 0, 0}, {1, 1, 1, 1});
  row.numerics.value.accumulator.underflow = 0x1p-20;
  expect_reached(row, {.tiny = 1}, {0.5, 0.5});
}

}  // namespace
}  // namespace attestone::emulation
