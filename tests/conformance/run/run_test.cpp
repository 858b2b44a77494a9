// SPDX-License-Identifier: Apache-2.0
// How a run goes: whose turn it is, what it tells while it goes on, and what it leaves out if nobody asks for it.
#include "conformance/run/run.hpp"

#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// How often the property was tried.
index cases_of(const KernelRun& run, const char* property) {
  index cases = 0;
  for (const Case& one : run.cases) cases += one.property->name == property ? 1 : 0;
  return cases;
}

// slow: judges many problems
TEST(Run, TriesEachRelationOnAsManyProblemsSlow) {
  std::vector<Problem> problems;
  for (index number = 0; number < 49; ++number)
    problems.push_back(parse_problem(number % 7 == 0 ? "shape=1x1x2x3x1 mask=causal" : "shape=1x1x2x3x1"));
  const KernelRun run = examine(make_kernel("dense"), {.problems = problems});
  EXPECT_EQ(cases_of(run, "value_bound"), 49) << "is no relation";
  EXPECT_EQ(cases_of(run, "rows_independent"), 3);
  EXPECT_EQ(cases_of(run, "invisible_keys_ignored"), 3) << "needs a mask";
}

TEST(Run, TellsTheFirstFailureOfEachProperty) {
  std::vector<std::string> told;
  index begun = 0;
  const KernelRun run =
      examine(Registry<Mutant>::find("lost_tail")->kernel(),
              {.problems = parse_problems("shape=1x1x2x16x1,1x1x2x17x1,1x1x2x33x1"),
               .properties = {Registry<Property>::find("value_bound")},
               .progress = [&](const RunProgress& now) { begun = now.problem; },
               .first_failure = [&](const Failure& failure) { told.push_back(failure.first.text()); }});
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(told, std::vector<std::string>{"shape=1x1x2x17x1"});
  EXPECT_EQ(run.failures.at(0).count, 2);
}

TEST(Run, ExplainsNothingIfNobodyAsks) {
  const SharedKernel wrong = Registry<Mutant>::find("lost_tail")->kernel();
  RunOptions options{.problems = {parse_problem("shape=1x2x3x33x4")},
                     .properties = {Registry<Property>::find("value_bound")}};
  const KernelRun explained = examine(wrong, options);
  EXPECT_NE(explained.failures.at(0).least, options.problems[0]);
  EXPECT_FALSE(explained.findings.empty());
  options.explain = false;
  const KernelRun plain = examine(wrong, options);
  EXPECT_EQ(plain.failures.at(0).least, options.problems[0]);
  EXPECT_TRUE(plain.findings.empty());
}

}  // namespace
}  // namespace attestone
