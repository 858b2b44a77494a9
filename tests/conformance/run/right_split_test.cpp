// SPDX-License-Identifier: Apache-2.0
// The split kernel that mutants are made from merges one to nine parts, empty ones too, and is never called wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

#include "conformance/problems/generate.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/reports/report.hpp"
#include "mutants/hosts/split.hpp"
#include "reference/registry.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

class RightSplit : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::vector<Problem> problems(index count) const {
    const auto& [format, pass] = GetParam();
    std::vector<Problem> drawn;
    for (index number = 0; std::ssize(drawn) < count; ++number) {
      Problem problem = random_problem(23, number);
      problem.input = problem.output = dtype(format);
      problem.backward = pass == "backward";
      if (split_twin()->supports(problem)) drawn.push_back(problem);
    }
    return drawn;
  }

  void expect_nobody_accused(const RunOptions& options) const {
    const KernelRun run = examine(split_twin(), options);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n" << failure.first.text();
    EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
    for (const auto& [formats, accuracy] : worst_accuracy(run))
      fmt::print("{} problems, {} cases, {}: worst r_det {:.3f}, r_prob {:.3f}\n", options.problems.size(),
                 run.cases.size(), formats, accuracy.r_det, accuracy.r_prob);
  }
};

TEST_P(RightSplit, StaysWithinItsBounds) {
  RunOptions options{.problems = problems(effort(20, 5000))};
  for (const char* name : {"value_bound", "gain", "gradient_bound", "gradient_gain"})
    options.properties.push_back(Registry<Property>::find(name));
  expect_nobody_accused(options);
}

TEST_P(RightSplit, HasEveryProperty) { expect_nobody_accused({.problems = problems(effort(3, 200))}); }

INSTANTIATE_TEST_SUITE_P(Every, RightSplit,
                         testing::Combine(testing::Values("f32", "f16", "bf16"),
                                          testing::Values("forward", "backward")),
                         by_parameter);

}  // namespace
}  // namespace attestone
