// SPDX-License-Identifier: Apache-2.0
// Exponents relative to running maxima, where a trend makes them repeat.
#include "reference/error_bound/forward/exponents.hpp"

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

}  // namespace
}  // namespace attestone
