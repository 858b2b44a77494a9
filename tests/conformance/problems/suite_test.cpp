// SPDX-License-Identifier: Apache-2.0
// Suites: their language, their mistakes, and that the built-in ones can be read and filled.
#include "conformance/problems/suite.hpp"

#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/coverage.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/generate.hpp"
#include "reference/user_error.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

TEST(Suite, MultipliesCommasAndSkipsComments) {
  const auto problems = parse_suite("# two times two\n\nshape=1x1x4x4x4 mask=full,causal dtype=f16,bf16\n", "text");
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[3].text(), "shape=1x1x4x4x4 mask=causal dtype=bf16");
}

TEST(Suite, DrawsRandomProblemsAndKeepsGivenFields) {
  const auto problems = parse_suite("random=50 seed=3 dtype=f16 mask=causal", "text");
  ASSERT_EQ(problems.size(), 50u);
  std::set<std::string> different;
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.input, dtype("f16"));
    EXPECT_EQ(problem.mask.text(), "causal");
    different.insert(problem.text());
  }
  EXPECT_GT(different.size(), 45u);
}

TEST(Suite, MultipliesRandomLines) {
  const auto problems = parse_suite("random=20 seed=3,4 mask=full,causal", "text");
  const auto alone = parse_suite("random=20 seed=4 mask=full", "text");
  ASSERT_EQ(problems.size(), 80u);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), problems.begin() + 40));
}

TEST(Suite, RefusesWhatIsNotJudgedYet) {
  try {
    parse_suite("shape=1x1x4x4x4\nshape=1x1x4x4x4 layout=bhsd,paged:2\n", "mine.txt");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "mine.txt:2: tensors of the layout 'paged' are not judged yet\n"
              "  shape=1x1x4x4x4 layout=paged:2\n"
              "                         ^^^^^^^\n"
              "attestone list layouts shows those of this version");
  }
}

TEST(Suite, NamesTheLineOfAMistake) {
  try {
    parse_suite("shape=1x1x4x4x4\nshape=1x1x4x4\n", "mine.txt");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).find("mine.txt:2: "), 0u) << error.what();
  }
}

/// In CI some of them.
// slow: fills every problem of every suite
TEST(Suite, HoldsProblemsThatCanBeFilled) {
  const OneIn part(16);
  for (const Suite& suite : builtin_suites())
    for (const Problem& problem : parse_suite(suite.text, std::string(suite.name)))
      if (problem.fill.name != "capture" && part.holds(problem.text())) {
        EXPECT_NO_THROW(filled(problem)) << problem.text();
      }
}

TEST(RandomProblem, SurvivesItsText) {
  for (index number = 0; number < 2000; ++number) {
    const Problem problem = random_problem(1, number);
    EXPECT_EQ(parse_problem(problem.text()), problem) << problem.text();
  }
}

TEST(RandomProblem, MeetsEveryFeature) {
  std::set<std::string> met;
  for (index number = 0; number < 2000; ++number)
    for (const std::string& feature : features_of(random_problem(1, number))) met.insert(feature);
  for (const Feature& feature : features())
    if (feature.name != "dropout" && feature.name != "backward") {
      EXPECT_TRUE(met.count(std::string(feature.name))) << feature.name;
    }
}

}  // namespace
}  // namespace attestone
