// SPDX-License-Identifier: Apache-2.0
// What the draws of a mask must be like: as many as it names, apart from each other, by head or not.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "reference/problem.hpp"
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
