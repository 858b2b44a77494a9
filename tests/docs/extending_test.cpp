// SPDX-License-Identifier: Apache-2.0
// docs/extending.md: what its three files add works, together with everything that was there.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

TEST(Extending, AddsAMaskToTheLanguage) {
  const Problem problem = parse_problem("shape=1x1x4x9x8 mask=stripes:3&causal");
  EXPECT_EQ(problem.text(), "shape=1x1x4x9x8 mask=stripes:3&causal");
  EXPECT_TRUE(problem.visible({0, 0, 3, 8}));
  EXPECT_FALSE(problem.visible({0, 0, 3, 7}));
  EXPECT_TRUE(problem.visible({0, 0, 3, 5}));
}

TEST(Extending, AddsAKernelThatConforms) {
  auto problems = parse_problems("shape=1x2x17x40x16,2x4/2x33x20x8:5 mask=full,causal,stripes:3,stripes:4&causal");
  const auto filled = parse_problems("shape=1x2x17x40x16 fill=ties,one_hot,monotone,sinks layout=strided");
  problems.insert(problems.end(), filled.begin(), filled.end());
  for (const std::string& layout : Registry<Layout>::names()) {
    Problem problem = parse_problem("shape=2x2x9x9x8 mask=causal");
    problem.layout = layout;
    if (layout == "ragged") problem.lengths = problem.query_lengths = {9, 4};
    problems.push_back(problem);
  }
  const KernelRun run = examine(make_kernel("streaming"), {.problems = problems});
  EXPECT_TRUE(run.own_failures.empty());
  EXPECT_TRUE(run.refusals.empty());
  EXPECT_TRUE(run.by_property.count("values_leave_log_sum_exp"));
  for (const Failure& failure : run.failures) ADD_FAILURE() << failure.verdict.evidence << "\n" << failure.least.text();
}

TEST(Extending, LeavesKernelsToAskForTheBytesOrToRefuse) {
  const Problem problem = parse_problem("shape=1x1x8x8x8 mask=stripes:2");
  EXPECT_TRUE(examine(find_kernel("flash"), {.problems = {problem}}).conforms());
  EXPECT_FALSE(find_kernel("lost_tail").supports(problem));
}

}  // namespace
}  // namespace attestone
