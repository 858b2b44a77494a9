// SPDX-License-Identifier: Apache-2.0
// Products, sums, division and the last rounding of an answer, each alone and at its worst.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/call/dropout.hpp"
#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

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

TEST(AnswerTightness, SumsOfTilesInANarrowerAccumulator) {
  BareRow row({0}, {1});
  row.numerics.value.tile_roundoff = u;
  row.numerics.value.tile_roundings = 3;
  expect_reached(row, std::pow(1 + static_cast<long double>(u), 3), {0.99, 0.99});
}

/// Each weight off by its share of the largest in its block.
TEST(AnswerTightness, WeightsThatShareAScale) {
  const std::vector<double> scores{0, -1, -5, -6}, values{1, 2, 3, 4};
  BareRow row(scores, values);
  row.numerics.weight.block_cast = {.of_largest = u, .keys = 2};
  long double denominator = 0, moved = 0;
  for (const double s : scores) denominator += std::exp(static_cast<long double>(s));
  for (std::size_t j = 0; j < values.size(); ++j)
    moved += u * std::exp(static_cast<long double>(scores[j / 2 * 2])) / denominator * values[j];
  expect_reached(row, exact_answer(row) + moved, {0.99, 0.99});
}

/// Only the last of them is below the normal range of its block, and it is off by all of itself.
TEST(AnswerTightness, WeightsThatShareAScaleAndAreSmall) {
  const std::vector<double> scores{0, -0.5, -1, -9}, values{1, 2, 3, 4};
  BareRow row(scores, values);
  row.numerics.weight.block_cast = {.of_largest = 0x1p-10, .keys = 4, .smallest_normal = 0x1p-9};
  long double denominator = 0;
  for (const double s : scores) denominator += std::exp(static_cast<long double>(s));
  const long double moved = 4 * std::exp(-9.0L) / denominator;
  expect_reached(row, exact_answer(row) + moved, {0.99, 0.99});
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

}  // namespace
}  // namespace attestone::emulation
