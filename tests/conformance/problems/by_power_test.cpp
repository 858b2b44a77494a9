// SPDX-License-Identifier: Apache-2.0
// The order in which a budget is spent: nothing is lost, much is shown early, and it is always the same.
// slow: judges many problems
#include "conformance/problems/by_power.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/coverage.hpp"
#include "conformance/problems/suite.hpp"

namespace attestone {
namespace {

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  for (const Problem& problem : problems) all.push_back(problem.text());
  return all;
}

std::size_t features_of_first(const std::vector<Problem>& problems, std::size_t count) {
  std::set<std::string> all;
  for (std::size_t at = 0; at < count; ++at)
    for (const std::string& feature : features_of(problems[at])) all.insert(feature);
  return all.size();
}

TEST(ByPower, KeepsEveryProblem) {
  for (const char* name : {"smoke", "report"}) {
    const std::vector<Problem> suite = load_suite(name);
    std::vector<std::string> before = texts(suite), after = texts(by_power(suite));
    EXPECT_NE(before, after) << name;
    std::ranges::sort(before), std::ranges::sort(after);
    EXPECT_EQ(before, after) << name;
  }
}

TEST(ByPower, ShowsMostFeaturesFirst) {
  const std::vector<Problem> suite = load_suite("smoke"), ordered = by_power(suite);
  const std::size_t all = features_of_first(suite, suite.size());
  EXPECT_GE(features_of_first(ordered, 25), all * 8 / 10);
  EXPECT_LE(features_of_first(suite, 25), all * 6 / 10) << "of its own accord the suite does not";
}

/// The shorter of two that show the same comes first; of equal ones the one that was given first.
TEST(ByPower, PrefersWhatTakesLessTime) {
  const std::vector<Problem> ordered =
      by_power({parse_problem("shape=1x1x400x400x64 seed=1"), parse_problem("shape=1x1x40x40x64 seed=2"),
                parse_problem("shape=1x1x40x40x64 seed=3"), parse_problem("shape=1x1x40x40x64 mask=causal seed=4")});
  std::vector<std::uint64_t> seeds;
  for (const Problem& problem : ordered) seeds.push_back(problem.seed);
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{4, 2, 3, 1}));
}

TEST(ByPower, SaysWhatWasLeftOut) {
  const std::vector<Problem> problems{parse_problem("shape=1x1x4x4x8"), parse_problem("shape=1x1x4x4x8 mask=causal"),
                                      parse_problem("shape=1x1x4x4x8 score=softcap:5")};
  EXPECT_EQ(features_left_out(problems, 3), std::vector<std::string>{});
  EXPECT_EQ(features_left_out(problems, 2), std::vector<std::string>{"softcap"});
  EXPECT_EQ(features_left_out(problems, 1), (std::vector<std::string>{"causal", "mask=causal", "softcap"}));
}

}  // namespace
}  // namespace attestone
