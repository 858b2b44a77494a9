// SPDX-License-Identifier: Apache-2.0
// How a kernel stands against the fastest peer of each cell, with figures that can be followed by hand.
#include "conformance/bench/standing.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace attestone {
namespace {

/// A cell in which ours and two peers took these seconds, round by round.
BenchCell cell(const char* problem, std::vector<double> ours, std::vector<double> one, std::vector<double> other) {
  BenchCell made{parse_problem(problem), 2, "f32"};
  made.entries = {
      {"ours", "", "", std::move(ours)}, {"one", "", "", std::move(one)}, {"other", "", "", std::move(other)}};
  return made;
}

class Standings : public testing::Test {
 protected:
  Standings() { result.peers = {{"one", "1", "", ""}, {"other", "1", "", ""}}; }
  BenchResult result;
};

TEST_F(Standings, ArePerRoundAndThenGeometricMeans) {
  // Round by round the fastest peer takes 4, 2, 8; ours is 4, 1, 4 times as fast.
  result.cells = {cell("shape=1x1x4x4x4", {1, 2, 2}, {4, 9, 9}, {9, 2, 8}),
                  // The fastest takes 3 always; ours 3 times as long.
                  cell("shape=1x1x8x8x4", {9, 9, 9}, {3, 3, 3}, {5, 5, 5})};
  const std::vector<Standing> all = standings(result);
  ASSERT_EQ(all.size(), 1u) << "peers do not stand against themselves";
  EXPECT_EQ(all[0].contender, "ours");
  EXPECT_EQ(all[0].kind, "forward, f32");
  EXPECT_EQ(all[0].cells, 2u);
  EXPECT_DOUBLE_EQ(all[0].geometric_mean, std::sqrt(4.0 / 3)) << "medians 4 and 1/3";
  EXPECT_DOUBLE_EQ(all[0].least, 1.0 / 3);
  EXPECT_EQ(all[0].least_in, "shape=1x1x8x8x4, 2 threads, against one");
}

TEST_F(Standings, KeepPassesAndFormatsApart) {
  result.cells = {cell("shape=1x1x4x4x4", {1}, {2}, {3}), cell("shape=1x1x4x4x4 dtype=bf16", {1}, {4}, {3}),
                  cell("shape=1x1x4x4x4 pass=forward+backward", {2}, {1}, {4})};
  const std::vector<Standing> all = standings(result);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, "backward, f32");
  EXPECT_EQ(all[0].geometric_mean, 0.5);
  EXPECT_DOUBLE_EQ(all[1].geometric_mean, 3);
  EXPECT_DOUBLE_EQ(all[2].geometric_mean, 2);
}

TEST_F(Standings, AreOfCellsInWhichBothWereTimed) {
  result.cells = {cell("shape=1x1x4x4x4", {1}, {}, {}), cell("shape=1x1x4x4x4", {}, {1}, {1})};
  EXPECT_TRUE(standings(result).empty());
}

}  // namespace
}  // namespace attestone
