// SPDX-License-Identifier: Apache-2.0
// A seed draws the same problems for ever: reports, nights and repro lines of the past stay what they were.
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "conformance/problems/suite.hpp"
#include "tests/newcomers.hpp"
#include "tests/problem_digest.hpp"

namespace attestone {
namespace {

TEST(SameSeeds, DrawTheSameProblems) {
  EXPECT_EQ(digest_of_settled_problems(), recorded_digest);
  for (index number = 0; number < 1000; ++number)
    if (const Problem problem = random_problem(1, number); !has_newcomer(problem)) {
      EXPECT_EQ(problem, settled_problem(1, number)) << problem.text();
    }
}

/// The lines of a suite without its designs, which follow from what is registered.
std::string without_designs(std::string_view suite) {
  std::istringstream lines{std::string(suite)};
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("design=")) all += line + '\n';
  return all;
}

// Whoever edits a suite records it anew.
TEST(SameSeeds, MakeTheSameSuites) {
  const std::map<std::string_view, std::uint64_t> recorded{
      {"ci", 0x2a3311f759d0adcd},          {"mesh", 0x3492418382516f70},   {"nightly", 0x39d34c36016148bd},
      {"regressions", 0x5c71abf39249c7d2}, {"report", 0xac0f91b31b1f17fe}, {"smoke", 0x48395272556f0ee8}};
  for (const Suite& suite : builtin_suites()) {
    ProblemDigest digest;
    for (const Problem& problem : parse_suite(without_designs(suite.text), std::string(suite.name)))
      digest.add(problem);
    EXPECT_EQ(digest.value(), recorded.at(suite.name)) << suite.name;
  }
}

}  // namespace
}  // namespace attestone
