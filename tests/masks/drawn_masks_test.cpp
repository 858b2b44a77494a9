// SPDX-License-Identifier: Apache-2.0
// What the draws of a mask must be like: as many as it names, apart from each other, by head or not.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "reference/problem/problem.hpp"
#include "reference/registry.hpp"
#include "tests/effort.hpp"
#include "tests/masks/reference_picture.hpp"

namespace attestone {
namespace {

TEST(DrawnMasks, DocumentsAreSquaresOnTheDiagonal) {
  std::mt19937_64 random(5);
  index empty_documents = 0;
  for (index n = 0; n < effort(200, 10000); ++n) {
    const Paper paper{{6, 6}, 0, 0, random()};
    const Picture rows = reference_picture(Mask("document", {3}), paper);
    std::set<std::string> pieces(rows.begin(), rows.end());
    ASSERT_LE(pieces.size(), 3u) << paper.seed;
    empty_documents += pieces.size() < 3;
    for (std::size_t query = 0; query < rows.size(); ++query) EXPECT_EQ(rows[query][query], '#') << paper.seed;
  }
  EXPECT_GT(empty_documents, 0);
}

/// A block is a square on the diagonal, and what lies between blocks sees nothing.
TEST(DrawnMasks, BlocksAreSquaresApartFromEachOther) {
  index gaps = 0, blocks = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Picture rows = reference_picture(Mask("blocks", {2}), {{9, 9}, 0, 0, seed});
    std::set<std::string> pieces(rows.begin(), rows.end());
    gaps += pieces.erase(".........") > 0;
    blocks += std::ssize(pieces);
    ASSERT_LE(pieces.size(), 2u) << seed;
    for (std::size_t query = 0; query < rows.size(); ++query)
      for (std::size_t key = 0; key < rows.size(); ++key) EXPECT_EQ(rows[query][key], rows[key][query]) << seed;
  }
  EXPECT_GT(gaps, 150);
  EXPECT_GT(blocks, 200);
}

/// Whoever sees a token sees what that token sees; and all see the keys before the tokens, and token 0.
TEST(DrawnMasks, ATreeIsMadeOfPathsToItsRoot) {
  std::set<Picture> trees;
  for (index seed = 0; seed < 50; ++seed) {
    const Picture rows = reference_picture(Mask("tree", {seed}), {{6, 8}, 0, 0, 1});
    trees.insert(rows);
    EXPECT_EQ(rows, reference_picture(Mask("tree", {seed}), {{6, 8}, 0, 3, 2})) << "another head, another seed";
    for (std::size_t token = 0; token < rows.size(); ++token) {
      EXPECT_EQ(rows[token].substr(0, 3), "###");
      for (std::size_t other = 0; other < rows.size(); ++other) {
        if (rows[token][other + 2] == '.') continue;
        EXPECT_LE(other, token) << seed;
        EXPECT_EQ(rows[token].substr(0, other + 3), rows[other].substr(0, other + 3)) << seed;
      }
    }
  }
  EXPECT_GT(trees.size(), 30u);
}

/// Lists of K entries have repeats and gaps, so some rows see fewer than K keys.
TEST(DrawnMasks, ListsHaveRepeatsAndGaps) {
  index most = 0, least = 99;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const std::string& row : reference_picture(Mask("indices", {6}), {{4, 12}, 0, 0, seed})) {
      const index seen = std::ranges::count(row, '#');
      most = std::max(most, seen), least = std::min(least, seen);
    }
  EXPECT_EQ(most, 6);
  EXPECT_LT(least, 4);
}

/// The share of visible pairs, to six standard deviations of that many fair draws.
void expect_share(const char* text, double share, double draws) {
  constexpr index extent = 96, heads = 4;
  index visible = 0;
  const Mask mask = parse_problem(std::string("shape=1x1x1x1x1 mask=") + text).mask;
  for (index head = 0; head < heads; ++head)
    for (const std::string& row : reference_picture(mask, {{extent, extent}, 1, head, 7}))
      visible += std::ranges::count(row, '#');
  EXPECT_NEAR(static_cast<double>(visible) / (heads * extent * extent), share,
              6 * std::sqrt(share * (1 - share) / draws))
      << text;
}

TEST(DrawnMasks, ShowTheShareThatTheyName) {
  expect_share("dense:50", 0.5, 4 * 96 * 96);
  expect_share("dense:3", 0.03, 4 * 96 * 96);
  expect_share("block:1", 0.5, 4 * 96 * 96);
  expect_share("block:8", 0.5, 4 * 12 * 12);
  expect_share("dense:50&block:1", 0.25, 4 * 96 * 96);  // drawn apart
}

TEST(DrawnMasks, OnlyThoseThatSaySoDifferByHead) {
  for (const auto& [name, rule] : Registry<MaskRule>::all()) {
    const Mask mask(name, std::vector<index>(static_cast<std::size_t>(rule.argument_count), 2));
    std::set<Picture> seen;
    for (index head = 0; head < 8; ++head) seen.insert(reference_picture(mask, {{9, 9}, 0, head, 3}));
    EXPECT_EQ(seen.size() > 1, rule.differs_by_head) << name;
    EXPECT_EQ((mask & Mask("causal")).differs_by_head(), rule.differs_by_head) << name;
  }
}

}  // namespace
}  // namespace attestone
