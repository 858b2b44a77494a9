// SPDX-License-Identifier: Apache-2.0
// How often tiles raise a running maximum.
#include "reference/error_bound/forward/rescalings.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace attestone {
namespace {

std::vector<index> first_keys(std::size_t n) {
  std::vector<index> keys(n);
  std::iota(keys.begin(), keys.end(), index{0});
  return keys;
}

Rescalings count(const std::vector<double>& scores, index tile_keys, double error = 0) {
  std::vector<double> lowest(scores), highest(scores);
  for (double& s : lowest) s -= error;
  for (double& s : highest) s += error;
  WeightStage weight;
  weight.tile_keys = tile_keys;
  return count_rescalings({first_keys(scores.size()), lowest, highest}, weight, {});
}

TEST(Rescalings, OneTileNeverRescales) {
  EXPECT_EQ(count({1, 2, 3}, 0).total, 0);
  EXPECT_EQ(count({1, 2, 3}, 4).total, 0);
  EXPECT_EQ(count({}, 1).total, 0);
}

TEST(Rescalings, RisingScoresRescaleAtEveryTile) {
  const Rescalings rising = count({1, 2, 3, 4}, 1);
  EXPECT_EQ(rising.total, 3);
  EXPECT_EQ(rising.later, (std::vector<index>{3, 2, 1, 0}));
  EXPECT_EQ(count({1, 2, 3, 4}, 2).later, (std::vector<index>{1, 1, 0, 0}));
}

TEST(Rescalings, EitherOrderCounts) {
  EXPECT_EQ(count({4, 3, 2, 1}, 1).later, (std::vector<index>{0, 1, 2, 3}));
  EXPECT_EQ(count({1, 3, 2}, 1).later, (std::vector<index>{1, 0, 1}));
}

TEST(Rescalings, EqualScoresDoNotRescaleUnlessTheyAreUncertain) {
  EXPECT_EQ(count({5, 5, 5}, 1).total, 0);
  EXPECT_EQ(count({5, 5, 5}, 1, 1e-9).total, 2);
}

/// The claim behind "1: any tile size".
TEST(Rescalings, SmallerTilesRescaleMoreOften) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> z;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<double> scores(256);
    for (double& s : scores) s = z(generator);
    const Rescalings finest = count(scores, 1), coarser = count(scores, 2), coarse = count(scores, 32);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      EXPECT_GE(finest.later[j], coarser.later[j]);
      EXPECT_GE(coarser.later[j], coarse.later[j]);
    }
  }
}

}  // namespace
}  // namespace attestone
