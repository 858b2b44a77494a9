// SPDX-License-Identifier: Apache-2.0
// Partial answers are a commutative monoid, exactly where that can be exact.
#include "reference/call/partial.hpp"

#include <gtest/gtest.h>
#include <random>

namespace attestone {
namespace {

constexpr index channels = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();

Partial random_part(std::mt19937_64& random, index keys) {
  std::normal_distribution<double> normal;
  constexpr double spread = 100;  // scores so far apart that weights underflow now and then
  Partial part(channels);
  for (index key = 0; key < keys; ++key) {
    const double score = spread * normal(random);
    const std::vector<double> value{normal(random), normal(random), normal(random)};
    part.merge(Partial::of_key(score, value));
  }
  return part;
}

/// The answers are the same up to a few roundings of the largest value, which is about 4.
void expect_close(const Partial& left, const Partial& right) {
  constexpr double value_tolerance = 64 * 0x1p-53, log_tolerance = 1024 * 0x1p-53;
  EXPECT_EQ(left.empty(), right.empty());
  if (left.empty()) return;
  EXPECT_NEAR(left.log_sum_exp(), right.log_sum_exp(), log_tolerance);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
    EXPECT_NEAR(left.out()[c], right.out()[c], value_tolerance);
}

void expect_same_bits(const Partial& left, const Partial& right) {
  EXPECT_EQ(left.log_sum_exp(), right.log_sum_exp());
  EXPECT_EQ(left.out(), right.out());
}

TEST(Partial, TheEmptyPartIsNeutralBitForBit) {
  std::mt19937_64 random(1);
  const Partial nothing(channels), part = random_part(random, 5);
  expect_same_bits(merged(part, nothing), part);
  expect_same_bits(merged(nothing, part), part);
  EXPECT_TRUE(merged(nothing, nothing).empty());
  EXPECT_EQ(nothing.log_sum_exp(), -infinity);
  EXPECT_EQ(nothing.out(), std::vector<double>(channels, 0.0));
}

TEST(Partial, MergesCommuteBitForBit) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 200; ++n) {
    const Partial a = random_part(random, n % 4), b = random_part(random, n % 3);
    expect_same_bits(merged(a, b), merged(b, a));
  }
}

TEST(Partial, MergesAssociate) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 200; ++n) {
    const Partial a = random_part(random, n % 4), b = random_part(random, n % 3), c = random_part(random, n % 5);
    expect_close(merged(merged(a, b), c), merged(a, merged(b, c)));
  }
}

TEST(Partial, AnAnswerIsAsGoodAsThePartItCameFrom) {
  std::mt19937_64 random(4);
  for (int n = 0; n < 200; ++n) {
    const Partial a = random_part(random, n % 4), b = random_part(random, 2);
    expect_close(merged(Partial::of_answer(a.log_sum_exp(), a.out()), b), merged(a, b));
  }
}

TEST(Partial, AKeyOfScoreMinusInfinityIsAbsent) {
  const std::vector<double> value(channels, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Partial::of_key(-infinity, value).empty());
}

TEST(Partial, EqualKeysAddLogTwo) {
  const std::vector<double> value{1, 2, 3};
  const Partial key = Partial::of_key(800, value), twice = merged(key, key);
  EXPECT_EQ(twice.log_sum_exp(), 800 + std::log(2.0));
  EXPECT_EQ(twice.out(), value);
}

}  // namespace
}  // namespace attestone
