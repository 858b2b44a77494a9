// SPDX-License-Identifier: Apache-2.0
// Exponents relative to running maxima, where a trend makes them repeat.
#include "reference/error_bound/forward/exponents.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace attestone {
namespace {

RowScores scores_of(const std::vector<double>& scores) {
  RowScores row;
  for (const double s : scores) {
    row.keys.push_back(static_cast<index>(row.keys.size()));
    row.score.push_back(s);
  }
  return row;
}

TEST(Exponents, OneMaximumForAllComesFirst) {
  const RowScores row = scores_of({1, 3, 2});
  EXPECT_EQ(possible_exponents(row, 0), (std::vector<std::vector<double>>{{1, 3, 2}}));
  EXPECT_EQ(possible_exponents(row, 2), (std::vector<std::vector<double>>{{1, 3, 2}}));
}

TEST(Exponents, ATrendMakesThemRepeatInEveryTile) {
  std::vector<double> rising;
  for (int j = 0; j < 40; ++j) rising.push_back(j);
  const auto all = possible_exponents(scores_of(rising), 4);
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t j = 0; j < 40; ++j) {
    EXPECT_EQ(all[1][j], static_cast<double>(j % 4) - 3);  // visited upwards: below the last key of the tile
    EXPECT_EQ(all[2][j], static_cast<double>(j) - 39);     // visited downwards: the first tile holds the maximum
  }
}

TEST(Exponents, AnyTileSizeTriesTheUsualOnes) {
  std::vector<double> rising;
  for (int j = 0; j < 400; ++j) rising.push_back(j);
  EXPECT_EQ(possible_exponents(scores_of(rising), 1).size(), 1U + 2 * 2);  // 16 and 32 rescale more than 8 times
}

/// Once in every part; and once between two raises of the maximum, where tiles come in any order and raise it often.
TEST(Exponents, RecurInPartsAndBetweenRaises) {
  std::vector<double> rising;
  for (int j = 0; j < 40; ++j) rising.push_back(j);
  const RowScores row = scores_of(rising);
  WeightStage tiles;
  tiles.tile_keys = 1;
  EXPECT_EQ(exponents_recur(row, tiles, {}), 1);
  MergeStage parts;
  parts.form = MergeForm::rescaled_sums;
  parts.parts = 9;
  EXPECT_EQ(exponents_recur(row, tiles, parts), 3);
  tiles.visits = Visits::any;  // 40 stretches, of which 8 do no harm
  EXPECT_DOUBLE_EQ(exponents_recur(row, tiles, {}), std::sqrt(40 / 8.0));
  EXPECT_DOUBLE_EQ(exponents_recur(row, tiles, parts), std::sqrt(9 * 40 / 8.0));
}

TEST(Exponents, DifferWhereTheMaximumIsRaisedMoreThanEightTimes) {
  for (const int tiles : {9, 10}) {
    std::vector<double> rising;
    for (int j = 0; j < tiles; ++j) rising.insert(rising.end(), 2, j);
    EXPECT_EQ(possible_exponents(scores_of(rising), 2).size(), tiles == 9 ? 1U : 3U);
  }
}

}  // namespace
}  // namespace attestone
