// SPDX-License-Identifier: Apache-2.0
// What is said of all pairs without holding them agrees with the pairs themselves.
#include "reference/call/visible_pairs.hpp"

#include <array>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

TEST(VisiblePairs, AreFoundWithoutBeingHeld) {
  constexpr std::array<std::string_view, 1> formats{"f32"};
  std::mt19937_64 random(5);
  std::array<int, 2> with_empty_row{}, with_pair{};
  for (index n = 0; n < effort(300, 20000); ++n) {
    const Problem problem = random_problem(random, formats);
    const VisiblePairs pairs(problem);
    bool some_empty = false, some_pair = false;
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < problem.shape.queries; ++i) (pairs.count(b, h, i) == 0 ? some_empty : some_pair) = true;
    ASSERT_EQ(has_empty_row(problem), some_empty) << problem.text();
    ASSERT_EQ(has_visible_pair(problem), some_pair) << problem.text();
    ++with_empty_row[some_empty], ++with_pair[some_pair];
  }
  for (const int count : {with_empty_row[0], with_empty_row[1], with_pair[0], with_pair[1]}) EXPECT_GT(count, 5);
}

TEST(VisiblePairs, MayBeGivenAsBytes) {
  const VisiblePairs of_all({2, 1, 1, 2}, {1, 0, 1, 1}), by_head({1, 2, 1, 2}, {0, 0, 0, 1});
  EXPECT_TRUE(of_all({0, 5, 0, 0}));
  EXPECT_FALSE(of_all({0, 5, 0, 1}));
  EXPECT_EQ(of_all.count(1, 5, 0), 2);
  EXPECT_EQ(by_head.count(0, 0, 0), 0);
  EXPECT_TRUE(by_head({0, 1, 0, 1}));
}

TEST(VisiblePairs, OfAWindowOfAMillionKeysAreFoundQuickly) {
  EXPECT_FALSE(has_empty_row(parse_problem("shape=1x1x1000000x1000000x1 mask=window:3:0")));
  EXPECT_TRUE(has_visible_pair(parse_problem("shape=1x1x1000000x1000000x1 mask=window:3:0")));
}

}  // namespace
}  // namespace attestone
