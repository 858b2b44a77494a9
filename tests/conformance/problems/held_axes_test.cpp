// SPDX-License-Identifier: Apache-2.0
// Lines of suites that hold axes of a design to some of their regimes.
// slow: searches designs of many axes
#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/design.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

bool says(const std::string& line, const std::string& words) {
  try {
    design_options(line);
  } catch (const UserError& error) {
    return std::string(error.what()).find(words) != std::string::npos;
  }
  return false;
}

TEST(HeldAxes, LetTheOthersBeCrossed) {
  const DesignOptions options =
      design_options("design=pairs queries=one,few keys=long fill=normal dropout=none mask=full,causal,window seed=3");
  EXPECT_EQ(options.seed, 3u);
  std::set<index> queries;
  std::set<std::string> masks, scores;
  for (const Problem& problem : designed(options).problems) {
    EXPECT_TRUE(1 <= problem.shape.queries && problem.shape.queries <= 9) << problem.text();
    EXPECT_GT(problem.shape.keys, 1024) << problem.text();
    EXPECT_EQ(problem.dropout, 0) << problem.text();
    EXPECT_EQ(problem.fill.name, "normal") << problem.text();
    queries.insert(problem.shape.queries);
    masks.insert(problem.mask.rule());
    scores.insert(problem.score.text());
  }
  EXPECT_GT(queries.size(), 3u);
  EXPECT_EQ(masks, (std::set<std::string>{"causal", "full", "window"}));
  EXPECT_GT(scores.size(), 10u);
}

TEST(HeldAxes, ArePointedAtWhereTheyAreUnknown) {
  EXPECT_TRUE(says("design=pairs query=one", "no axis of designs is called 'query'"));
  EXPECT_TRUE(says("design=pairs queries=one,two", "no regime of queries is called 'two'"));
}

}  // namespace
}  // namespace attestone
