// SPDX-License-Identifier: Apache-2.0
// Only what a kernel did is its fault: what the machine denies us, and what a property gets wrong, accuses nobody.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <new>
#include <tuple>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/reports/report.hpp"
#include "reference/registry.hpp"
#include "reference/system_failure.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

const Property& value_bound() { return *Registry<Property>::find("value_bound"); }

/// An outside kernel as far as the judge can see, whose door throws.
template <class Thrown>
SharedKernel behind_a_door(const Thrown& thrown, index at_call) {
  const auto forward = [thrown, at_call, calls = std::make_shared<index>(0)](
                           const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
    if (++*calls == at_call) throw thrown;
    flash.forward(problem, arguments, device);
  };
  return changed(make_kernel("flash"), {.forward = forward, .fingerprint = 1});
}

KernelRun judged(const SharedKernel& kernel) {
  return examine(kernel,
                 {.problems = parse_problems("shape=1x1x4x4x4,1x1x4x5x4,1x1x4x6x4"), .properties = {&value_bound()}});
}

ExitStatus status_after(const KernelRun& run, bool allow_incomplete = false) {
  return status_of({"0", "none", "a test", {run}}, allow_incomplete);
}

template <class Thrown>
void expect_nobody_accused(const Thrown& thrown, const std::string& cause) {
  const KernelRun run = judged(behind_a_door(thrown, 2));
  EXPECT_TRUE(run.failures.empty());
  EXPECT_EQ(run.cases.size(), 1u) << "what was seen before stands";
  EXPECT_EQ(run.cut_short, CutShort::own_failure);
  EXPECT_FALSE(run.complete);
  EXPECT_FALSE(run.conforms());
  EXPECT_EQ(run.own_failures, std::vector{cause});
  EXPECT_EQ(status_after(run), ExitStatus::internal_error);
  EXPECT_EQ(status_after(run, true), ExitStatus::internal_error);
}

TEST(OwnFailures, OfTheMachineAccuseNobody) {
  expect_nobody_accused(SystemFailure("sizing shared memory: No space left on device"),
                        "sizing shared memory: No space left on device");
  expect_nobody_accused(std::bad_alloc(), "out of memory");
  expect_nobody_accused(std::runtime_error("attestone_worker does not start"), "attestone_worker does not start");
}

/// The report of a run in json; its status must be 3.
nlohmann::json report_of_failed_run(const std::string& limits, const std::string& arguments) {
  const ShellOutput output =
      shell(fmt::format("({}; attestone run {} --property=value_bound --format=json 2>/dev/null)", limits, arguments));
  EXPECT_EQ(output.status, 3) << output.text;
  return json_of(output.text).at("runs").at(0);
}

// A limit that only the second problem meets.
// slow: judges many problems
TEST(OwnFailures, LeaveAReportOfWhatWasSeenSlow) {
  const nlohmann::json run = report_of_failed_run(
      "trap '' XFSZ; ulimit -f 200",
      fmt::format("--plugin='{}/plugins/differentiates.so' 'shape=1x1x4x4x4,1x8x64x64x64'", program_folder()));
  EXPECT_EQ(run.at("failures").size(), 0u) << run.at("failures");
  EXPECT_EQ(run.at("cases").size(), 1u);
  EXPECT_EQ(run.at("complete"), false);
  ASSERT_EQ(run.at("own_failures").size(), 1u);
  EXPECT_EQ(run.at("own_failures")[0].get<std::string>().rfind("making shared memory", 0), 0u)
      << run.at("own_failures");
}

TEST(OwnFailures, AreNotWhatAKernelInThisProcessThrows) {
  for (const bool odd : {false, true}) {
    const auto forward = [odd](const Kernel&, const Problem&, const Arguments&, Device&) {
      if (odd) throw 42;
      throw std::runtime_error("division by zero");
    };
    const KernelRun run = examine(changed(make_kernel("flash"), {.forward = forward}),
                                  {.problems = parse_problems("shape=1x1x4x4x4"), .explain = false});
    ASSERT_FALSE(run.failures.empty());
    EXPECT_EQ(run.failures[0].verdict.reason, "crashed");
    EXPECT_EQ(status_after(run), ExitStatus::does_not_conform);
  }
}

TEST(OwnFailures, OfAPropertyStayItsOwn) {
  const Property broken{
      .name = "broken",
      .claim = "none",
      .inapplicable = [](const Problem& p) { return std::string(p.shape.keys == 4 ? "four keys" : ""); },
      .check = [](Trial& trial) -> Verdict {
        if (trial.problem().shape.keys == 6) throw 42;
        if (trial.problem().shape.keys == 7) parse_problem("shape=1x1");
        require(false, "rows that do not exist are looked at");
        return {};
      }};
  const Property worse{.name = "worse",
                       .claim = "none",
                       .inapplicable = [](const Problem&) -> std::string { throw std::logic_error("no answer"); },
                       .check = [](Trial&) { return Verdict::passed(); }};
  const KernelRun run =
      examine(make_kernel("flash"), {.problems = parse_problems("shape=1x1x4x4x4,1x1x4x5x4,1x1x4x6x4,1x1x4x7x4"),
                                     .properties = {&broken, &worse, &value_bound()},
                                     .suite = true});
  EXPECT_TRUE(run.failures.empty());
  EXPECT_TRUE(run.complete) << "the run goes on";
  EXPECT_EQ(run.by_property.at("value_bound").at(Outcome::passed), 4);
  EXPECT_EQ(run.by_property.at("broken").at(Outcome::inconclusive), 3);
  EXPECT_EQ(run.cases[0].verdict.reason, "property-error");
  EXPECT_EQ(run.own_failures.size(), 4u) << "each cause once";
  EXPECT_FALSE(run.conforms());
  EXPECT_EQ(status_after(run), ExitStatus::internal_error);
}

TEST(OwnFailures, ComeBeforeEveryOtherStatus) {
  KernelRun run;
  EXPECT_EQ(status_after(run), ExitStatus::nothing_ran);
  EXPECT_FALSE(run.conforms()) << "nothing was judged";
  run.counts = {{Outcome::inconclusive, 3}, {Outcome::skipped, 2}};
  EXPECT_EQ(status_after(run), ExitStatus::nothing_ran);
  EXPECT_FALSE(run.conforms()) << "nothing was decided";
  run.cut_short = CutShort::budget;
  EXPECT_EQ(status_after(run), ExitStatus::cut_short);
  EXPECT_EQ(status_after(run, true), ExitStatus::nothing_ran);
  run.counts[Outcome::passed] = 1;
  EXPECT_EQ(status_after(run), ExitStatus::cut_short);
  EXPECT_EQ(status_after(run, true), ExitStatus::ok);
  run.failures.push_back({nullptr, Verdict::failed("required", "none"), {}, {}});
  EXPECT_EQ(status_after(run), ExitStatus::does_not_conform);
  EXPECT_EQ(status_after(run, true), ExitStatus::does_not_conform);
  run.own_failures = {"something"};
  EXPECT_EQ(status_after(run), ExitStatus::internal_error);
  EXPECT_EQ(status_of({"0", "none", "nothing was begun", {}}, false), ExitStatus::cut_short);
}

}  // namespace
}  // namespace attestone
