// SPDX-License-Identifier: Apache-2.0
// How often tiles raise a running maximum in every declared order, and what parts and sinks add.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "reference/error_bound/forward/rescalings.hpp"

namespace attestone {
namespace {

std::vector<index> first_keys(std::size_t n) {
  std::vector<index> keys(n);
  std::iota(keys.begin(), keys.end(), index{0});
  return keys;
}

std::vector<index> later(const std::vector<double>& scores, Visits tiles, const MergeStage& merge = {}) {
  WeightStage weight;
  weight.tile_keys = 1;
  weight.visits = tiles;
  return count_rescalings({first_keys(scores.size()), scores, scores}, weight, merge).later;
}

TEST(RescalingsByOrder, OneOrderCountsAlone) {
  EXPECT_EQ(later({1, 3, 2}, Visits::ascending), (std::vector<index>{1, 0, 0}));
  EXPECT_EQ(later({1, 3, 2}, Visits::descending), (std::vector<index>{0, 0, 1}));
}

/// For each tile the most raises behind it, over all orders of visits that begin anywhere.
template <class Order>
std::vector<index> most_raises(const std::vector<double>& scores, const Order& order) {
  std::vector<index> most(scores.size());
  for (std::size_t from = 0; from < scores.size(); ++from)
    for (const bool ascending : {false, true}) {
      const std::vector<std::size_t> visited = order(from, scores.size(), ascending);
      for (std::size_t t = 0; t < visited.size(); ++t) {
        double running = *std::max_element(scores.begin(), scores.end()) - 100;
        index raises = 0;
        for (std::size_t at = 0; at < visited.size(); ++at) {
          const double s = scores[visited[at]];
          raises += at > t && s > running;
          running = std::max(running, s);
        }
        most[visited[t]] = std::max(most[visited[t]], raises);
      }
    }
  return most;
}

std::vector<std::size_t> rotated_order(std::size_t from, std::size_t n, bool ascending) {
  std::vector<std::size_t> visited;
  for (std::size_t step = 0; step < n; ++step) visited.push_back((from + (ascending ? step : n - step)) % n);
  return visited;
}

std::vector<std::size_t> two_ended_order(std::size_t from, std::size_t n, bool ascending) {
  std::vector<std::size_t> visited{from};
  for (std::size_t step = 1; step < n; ++step)
    for (const bool up : {ascending, !ascending}) {
      if (up && from + step < n) visited.push_back(from + step);
      if (!up && from >= step) visited.push_back(from - step);
    }
  return visited;
}

/// Never too few; and exact where what was seen before cannot matter.
TEST(RescalingsByOrder, TilesFromTheMiddleOnAreNotUndercounted) {
  std::mt19937_64 generator(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<double> scores(1 + generator() % 7);
    for (double& s : scores) s = static_cast<double>(generator() % 6);
    const auto rotated = later(scores, Visits::rotated), two_ended = later(scores, Visits::two_ended);
    const auto least_rotated = most_raises(scores, rotated_order), least = most_raises(scores, two_ended_order);
    for (std::size_t t = 0; t < scores.size(); ++t) {
      EXPECT_GE(rotated[t], least_rotated[t]);
      EXPECT_GE(two_ended[t], least[t]);
    }
  }
  EXPECT_EQ(later({3, 1, 2}, Visits::two_ended), (std::vector<index>{0, 2, 1}));
}

TEST(RescalingsByOrder, InAnyOrderAllLargerOnesCount) {
  EXPECT_EQ(later({4, 2, 1, 3, 5}, Visits::any), (std::vector<index>{1, 3, 4, 2, 0}));
}

/// A part begins anywhere, and may hold any keys; under a shared maximum nothing is rescaled.
TEST(RescalingsByOrder, PartsBeginAnywhere) {
  MergeStage merge;
  merge.form = MergeForm::rescaled_sums;
  merge.parts = 2;
  const std::vector<double> scores{9, 1, 3, 2};
  EXPECT_EQ(later(scores, Visits::ascending), (std::vector<index>{0, 0, 0, 0}));
  EXPECT_EQ(later(scores, Visits::ascending, merge), (std::vector<index>{0, 1, 0, 0}));
  EXPECT_EQ(later(scores, Visits::either_way, merge), (std::vector<index>{0, 1, 1, 2}));
  const std::vector<double> picked{0, 5, 1, 2, 3};
  EXPECT_EQ(later(picked, Visits::ascending, merge), (std::vector<index>{1, 0, 2, 1, 0}));
  merge.visits = Visits::any;
  EXPECT_EQ(later(picked, Visits::ascending, merge), (std::vector<index>{3, 0, 2, 1, 0}));
  EXPECT_EQ(later(scores, Visits::rotated, merge), (std::vector<index>{0, 3, 1, 2}));
  merge.form = MergeForm::shared_maximum;
  EXPECT_EQ(later(picked, Visits::ascending, merge), (std::vector<index>{0, 0, 0, 0, 0}));
}

TEST(RescalingsByOrder, ASinkComesFirstOrLast) {
  const auto with_sink = [](const std::vector<double>& scores) {
    WeightStage weight;
    weight.tile_keys = 1;
    return count_rescalings({first_keys(scores.size() - 1), scores, scores}, weight, {});
  };
  const Rescalings above = with_sink({1, 2, 3}), between = with_sink({1, 3, 2}), below = with_sink({4, 5, 3});
  EXPECT_EQ(above.later, (std::vector<index>{2, 1, 0}));
  EXPECT_EQ(above.total, 2);
  EXPECT_EQ(between.later, (std::vector<index>{1, 0, 2}));
  EXPECT_EQ(below.later, (std::vector<index>{1, 0, 2}));
}

}  // namespace
}  // namespace attestone
