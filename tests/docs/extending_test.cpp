// SPDX-License-Identifier: Apache-2.0
// docs/extending.md: what its three files add works, together with everything that was there.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/problems/generate.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

TEST(Extending, AddsAMaskToTheLanguage) {
  const Problem problem = parse_problem("shape=1x1x4x9x8 mask=stripes:3&causal");
  EXPECT_EQ(problem.text(), "shape=1x1x4x9x8 mask=stripes:3&causal");
  EXPECT_TRUE(problem.visible({0, 0, 3, 8}));
  EXPECT_FALSE(problem.visible({0, 0, 3, 7}));
  EXPECT_TRUE(problem.visible({0, 0, 3, 5}));
}

/// The mask of the page in every layout, whose sequences may be ragged.
std::vector<Problem> in_every_layout() {
  std::vector<Problem> problems;
  for (const auto& [name, layout] : Registry<Layout>::all()) {
    Problem problem = parse_problem("shape=2x2x9x9x8 mask=stripes:3");
    problem.layout = name;
    if (layout.ragged) problem.lengths = problem.query_lengths = {9, 4};
    problems.push_back(problem);
  }
  return problems;
}

void expect_conforms(const std::vector<Problem>& problems) {
  const KernelRun run = examine(make_kernel("streaming"), {.problems = problems});
  EXPECT_TRUE(run.own_failures.empty());
  EXPECT_TRUE(run.refusals.empty());
  EXPECT_EQ(run.by_property.at("values_leave_log_sum_exp").at(Outcome::passed), std::ssize(problems));
  for (const Failure& failure : run.failures) ADD_FAILURE() << failure.verdict.evidence << "\n" << failure.least.text();
}

TEST(Extending, AddsAKernelThatConforms) {
  auto problems = parse_problems("shape=1x2x17x40x16,2x4/2x33x20x8:5 mask=full,causal,stripes:3,stripes:4&causal");
  const auto filled = parse_problems("shape=1x2x17x40x16 fill=ties,one_hot,monotone,sinks layout=strided");
  problems.insert(problems.end(), filled.begin(), filled.end());
  expect_conforms(problems);
}

/// The page ends by judging its kernel on the suite smoke. So does this test, in CI on a part of it, with the page's
/// property, and with problems that ask for out or log_sum_exp alone.
// slow: judges a suite
TEST(Extending, ConformsOnTheSmokeSuite) {
  const OneIn part(24);
  std::vector<Problem> problems = parse_problems("shape=1x1x3x5x4 wants=out,log_sum_exp");
  for (const Problem& problem : load_suite("smoke"))
    if (part.holds(problem.text())) problems.push_back(problem);
  for (const char* kernel : {"streaming", "flash"}) {
    const KernelRun run = examine(make_kernel(kernel), {.problems = problems});
    EXPECT_TRUE(run.own_failures.empty()) << kernel;
    EXPECT_GT(run.by_property.at("values_leave_log_sum_exp").at(Outcome::passed), 0) << kernel;
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << kernel << ": " << failure.verdict.evidence << "\n" << failure.least.text();
  }
}

TEST(Extending, IsTriedOnEveryLayout) { expect_conforms(in_every_layout()); }

TEST(Extending, IsDrawnByRandomProblems) {
  index met = 0;
  for (index number = 0; number < 300; ++number)
    met += random_problem(1, number).mask.text().find("stripes:") != std::string::npos;
  EXPECT_GE(met, 20);
}

TEST(Extending, LeavesKernelsToAskForTheBytesOrToRefuse) {
  const Problem problem = parse_problem("shape=1x1x8x8x8 mask=stripes:2");
  EXPECT_TRUE(examine(find_kernel("flash"), {.problems = {problem}}).conforms());
  EXPECT_FALSE(find_kernel("lost_tail")->supports(problem));
}

}  // namespace
}  // namespace attestone
