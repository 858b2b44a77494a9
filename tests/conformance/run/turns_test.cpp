// SPDX-License-Identifier: Apache-2.0
// Relations are tried equally often, evenly spread over the problems to which they apply, and not all at the same.
// slow: many draws of each problem
#include "conformance/run/turns.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "conformance/problems/suite.hpp"
#include "conformance/run/case.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::vector<const Property*> relations() {
  std::vector<const Property*> all;
  for (const auto& [name, property] : Registry<Property>::all())
    if (property.relation) all.push_back(&property);
  return all;
}

/// For each problem to which the relation applies, whether its turn comes.
std::vector<bool> turns_of(const Property& relation, const std::vector<Problem>& problems, Turns turns) {
  std::vector<bool> come;
  for (const Problem& problem : problems)
    if (!inapplicable(relation, problem)) come.push_back(turns.comes(relation));
  return come;
}

TEST(Turns, OfThousandsOfProblemsTakeASmallerShare) {
  EXPECT_EQ(tries_of_each(14), 1);
  EXPECT_EQ(tries_of_each(49), 3) << "one in 14";
  EXPECT_EQ(tries_of_each(881), 32);
  EXPECT_EQ(tries_of_each(7200), 100) << "one in 72";
}

TEST(Turns, OfTheSmokeSuiteComeEquallyOftenAndEvenlySpread) {
  const std::vector<Problem> problems = load_suite("smoke");
  const Turns turns(problems, relations());
  for (const Property* relation : relations()) {
    const std::vector<bool> come = turns_of(*relation, problems, turns);
    const index applies = std::ssize(come), tries = std::count(come.begin(), come.end(), true);
    EXPECT_EQ(tries, std::min(applies, tries_of_each(std::ssize(problems)))) << relation->name;
    ASSERT_GT(tries, 0) << relation->name;
    index waited = 0;
    for (const bool comes : come) {
      waited = comes ? 0 : waited + 1;
      EXPECT_LE(waited, applies / tries) << relation->name;
    }
  }
}

TEST(Turns, DoNotComeAllAtTheSameProblem) {
  const std::vector<Problem> problems(28, parse_problem("shape=1x1x2x3x1"));
  std::vector<const Property*> applying = relations();
  std::erase_if(applying, [&](const Property* relation) { return inapplicable(*relation, problems[0]).has_value(); });
  Turns turns(problems, applying);
  const index shared = std::ssize(applying) * tries_of_each(28) / std::ssize(problems);
  for (std::size_t at = 0; at < problems.size(); ++at) {
    const index come = std::count_if(applying.begin(), applying.end(),
                                     [&](const Property* relation) { return turns.comes(*relation); });
    EXPECT_GE(come, shared) << at;
    EXPECT_LE(come, shared + 1) << at;
  }
}

}  // namespace
}  // namespace attestone
