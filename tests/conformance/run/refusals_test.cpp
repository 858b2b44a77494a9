// SPDX-License-Identifier: Apache-2.0
// Refusals are remembered by what was really asked: an honest refusal of another problem, other inputs or the other
// pass is no fault.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/reports/report.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

SharedKernel plugin(const std::string& name) {
  return plugin_kernel(fmt::format("{}/plugins/{}.so", program_folder(), name), {});
}

void expect_no_failure(const KernelRun& run) {
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << '\n' << failure.first.text();
  EXPECT_TRUE(run.own_failures.empty());
}

const char* without_keys = "shape=1x2x40x40x32 mask=needle:8,dilated:3,full";

TEST(Refusals, OfRowsWithoutAKeyAreHeldAgainstNobody) {
  const KernelRun alone =
      examine(plugin("declines_rows_without_keys"),
              {.problems = parse_problems(without_keys), .properties = {Registry<Property>::find("splits_merge")}});
  expect_no_failure(alone);
  EXPECT_EQ(alone.by_property.at("splits_merge").at(Outcome::skipped), 1) << "one side of a cut has such rows";
  EXPECT_TRUE(alone.refusals.empty()) << "the problems themselves have none";
  expect_no_failure(examine(plugin("declines_rows_without_keys"), {.problems = parse_problems(without_keys)}));
}

TEST(Refusals, OfTheBackwardPassAreOfThatPass) {
  const std::string problem = "shape=1x2x9x12x8 score=bias:pair pass=forward+backward";
  const KernelRun run = examine(plugin("declines_bias_gradients"), {.problems = parse_problems(problem)});
  expect_no_failure(run);
  EXPECT_EQ(run.by_property.at("value_bound").at(Outcome::passed), 1);
  EXPECT_EQ(run.by_property.at("gradient_bound").at(Outcome::skipped), 1);
  ASSERT_EQ(run.refusals.size(), 1u);
  EXPECT_EQ(run.refusals.begin()->first, "the backward pass: refuses, without a reason");
  EXPECT_EQ(run.refusals.begin()->second, 1) << "once for each problem";
  EXPECT_EQ(run.coverage.at("backward").count(Outcome::passed), 0u) << "nothing is known of its gradients";
  EXPECT_EQ(run.coverage.at("bias").count(Outcome::passed), 1u);
}

TEST(Refusals, OfTheBackwardPassAreWhatRequireAsksFor) {
  const KernelRun run = examine(
      plugin("declines_bias_gradients"),
      {.problems = parse_problems("shape=1x2x9x12x8 score=bias:pair pass=forward+backward"), .required = {"backward"}});
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.reason, "required");
}

// slow: judges many problems
TEST(Refusals, OfOtherFormatsDoNotFailARequirementSlow) {
  const ShellOutput run = shell(fmt::format(
      "attestone run --plugin='{}/plugins/differentiates.so' --property=value_bound --suite=smoke --require=causal",
      program_folder()));
  EXPECT_EQ(run.status, 0) << run.text;
}

TEST(Refusals, OfWhatWasAnsweredAreFaults) {
  for (const char* arguments :
       {"--property=guards 'shape=1x2x5x9x8'", "--property=repeats_bitwise 'shape=1x2x5x9x8'"}) {
    const ShellOutput run =
        shell(fmt::format("attestone run --plugin='{}/hostile/refuses_later.so' {}", program_folder(), arguments));
    EXPECT_EQ(run.status, 1) << run.text;
    EXPECT_NE(run.text.find("refused-later"), std::string::npos) << run.text;
  }
}

// Of another problem that a property makes up: the problem itself was answered.
TEST(Refusals, OfADerivedProblemAreNotOfTheProblem) {
  const auto twelve = [](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
    if (problem.shape.keys != 12) throw KernelRefusal("twelve keys only");
    flash.forward(problem, arguments, device);
  };
  const KernelRun run = examine(
      changed(make_kernel("flash"), {.forward = twelve}),
      {.problems = parse_problems("shape=1x1x4x12x8"), .properties = {Registry<Property>::find("splits_merge")}});
  expect_no_failure(run);
  EXPECT_TRUE(run.refusals.empty());
  EXPECT_EQ(run.by_property.at("splits_merge").at(Outcome::skipped), 1);
}

}  // namespace
}  // namespace attestone
