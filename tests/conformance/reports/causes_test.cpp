// SPDX-License-Identifier: Apache-2.0
// A report tells each cause once, by the words in which it was first seen, with what its problems share.
#include "conformance/reports/causes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "backends/catalogue.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/reports/wrapped.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/reports/json_of.hpp"

namespace attestone {
namespace {

const Property* property(const char* name) { return Registry<Property>::find(name); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

std::string written(const char* format, const KernelRun& run) {
  std::ostringstream out;
  Registry<ReportFormat>::find(format)->write({"0", "none", "a suite", {run}}, Style{}, out);
  return out.str();
}

/// Every property fails, and says the same of other problems.
KernelRun one_cause() {
  KernelRun run;
  run.kernel = "k";
  for (const auto& [name, property] : Registry<Property>::all())
    for (index keys = 30; keys < 50; ++keys) {
      const Problem problem = parse_problem(fmt::format("shape=1x1x4x{}x8", keys));
      Verdict verdict = keys % 16 == 0
                            ? Verdict::passed()
                            : Verdict::failed("crashed", fmt::format("no room for {} keys at 0x{:x}e-3", keys, keys));
      ++run.counts[verdict.outcome];
      ++run.by_property[name][verdict.outcome];
      run.cases.push_back({&property, problem, verdict});
      if (keys == 30) run.failures.push_back({&property, verdict, problem, problem, 18});
    }
  return run;
}

TEST(Causes, TellOneCauseOnce) {
  const KernelRun run = one_cause();
  const std::vector<Cause> all = causes(run);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].others.size(), run.failures.size() - 1);
  for (const char* format : {"text", "markdown"}) {
    const std::string text = written(format, run);
    EXPECT_EQ(count(text, "FAILED"), 1u) << text;
    EXPECT_EQ(count(text, "also failed by: "), 1u) << text;
    EXPECT_EQ(count(text, "no room for 30 keys"), 1u) << text;
  }
  const auto json = json_of(written("json", run));
  EXPECT_EQ(json["runs"][0]["causes"].size(), 1u);
  EXPECT_EQ(json["runs"][0]["failures"].size(), run.failures.size()) << "every property keeps its repro";
}

TEST(Causes, KeepDifferentCausesApart) {
  KernelRun run = one_cause();
  run.failures[1].verdict.reason = "hung";
  run.failures[2].verdict.evidence = "something else";
  run.failures.push_back({nullptr, Verdict::failed("required", "refused"), {}, {}});
  run.cases.clear();
  EXPECT_EQ(causes(run).size(), 4u);
}

TEST(Causes, SayInEveryFormatWhatTheFailingProblemsShare) {
  const KernelRun run = one_cause();
  // Twenty problems, two of which pass: 32 and 48 keys; few enough to need a plain reason.
  const auto shared = causes(run).at(0).shared;
  EXPECT_FALSE(shared) << "two of twenty are too few: " << text(*shared);
  KernelRun more = run;
  for (index keys = 64; keys <= 256; keys += 16)
    more.cases.push_back(
        {run.failures[0].property, parse_problem(fmt::format("shape=1x1x4x{}x8", keys)), Verdict::passed()});
  ASSERT_TRUE(causes(more).at(0).shared);
  for (const char* format : {"text", "markdown", "json", "junit"})
    EXPECT_GE(count(written(format, more), "keys are no multiple of 16"), 1u) << format << written(format, more);
}

TEST(Causes, TellSeveralFindingsAsAlternatives) {
  KernelRun run = one_cause();
  run.findings = {{"half", "O is half", "sums", "p"}, {"dropout not scaled", "no factor", "factors", "p"}};
  for (const char* format : {"text", "markdown"}) {
    const std::string text = written(format, run);
    EXPECT_EQ(count(text, "atches one of these"), 1u) << text;
    EXPECT_EQ(count(text, "matches 'half'"), 0u) << text;
  }
  run.findings.pop_back();
  EXPECT_EQ(count(written("text", run), "matches 'half'"), 1u);
}

TEST(Causes, WrapLongLines) {
  EXPECT_EQ(wrapped("ab ", "c d e f", 6), "ab c d\n   e f\n");
  EXPECT_EQ(wrapped("ab ", "longer_than_the_line", 6), "ab longer_than_the_line\n");
}

/// A right kernel is not said to err by thousands of ulps where weighted values happen to cancel; that frightened
/// readers.
TEST(Accuracy, CountsUlpsAtTheScaleOfTheAnswer) {
  for (const char* text : {"shape=1x2x64x128x1", "shape=2x1x33x65x1 dtype=bf16", "shape=1x1x64x257x2 fill=outliers",
                           "shape=1x2x40x129x1 pass=forward+backward", "shape=1x1x5x1x4 pass=forward+backward",
                           "shape=1x1x20x30x4 fill=ties pass=forward+backward"}) {
    const KernelRun run = examine(
        make_kernel("flash"),
        {.problems = {parse_problem(text)}, .properties = {property("value_bound"), property("gradient_bound")}});
    for (const auto& [format, accuracy] : worst_accuracy(run)) {
      EXPECT_LT(accuracy.max_ulp, 200) << text << " " << format;
      EXPECT_GT(accuracy.max_ulp + (accuracy.rmse == 0 ? 1 : 0) + (format.ends_with("gradients") ? 1 : 0), 0) << text;
    }
  }
}

}  // namespace
}  // namespace attestone
