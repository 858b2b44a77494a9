// SPDX-License-Identifier: Apache-2.0
// The test over a run: right kernels are not convicted, and what no problem shows by itself is.
#include "conformance/run/lean_over_run.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "conformance/problems/standard_normal.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "reference/random/random.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

const Property* property(const char* name) { return Registry<Property>::find(name); }

/// Cases of a run that has seen these samples, each on a seed of its own.
std::vector<Case> cases_of(const std::vector<GainDeviation>& samples, std::uint64_t same_seed = 0) {
  std::vector<Case> cases;
  for (const GainDeviation& sample : samples) {
    Case one{property("gain"), {}, {}};
    one.problem.seed = same_seed ? same_seed : cases.size() + 1;
    one.verdict.deviations.push_back({"gain of out", sample});
    cases.push_back(one);
  }
  return cases;
}

TEST(LeanOverRun, SaysNothingWithoutSamples) { EXPECT_FALSE(lean_over_run({{property("gain"), {}, {}}})); }

TEST(LeanOverRun, FindsWhatIsTheSameEverywhere) {
  for (const double sign : {1.0, -1.0}) {
    const auto lean = lean_over_run(cases_of(std::vector<GainDeviation>(100, {sign * 0.8e-3, 1e-5, 1e-6})));
    EXPECT_TRUE(lean->convicts()) << lean->told();
    EXPECT_EQ(lean->statistic, "gain of out in f32");
    EXPECT_EQ(lean->problems, 100);
    EXPECT_NEAR(lean->lean, sign * 0.8e-3, 1e-12);
    EXPECT_NEAR(lean->deviation, 1e-4, 1e-12);
  }
}

/// A tenth of these samples says nothing yet, and what goes up and down never does.
TEST(LeanOverRun, NeedsEnoughOfThem) {
  EXPECT_FALSE(lean_over_run(cases_of(std::vector<GainDeviation>(10, {0.8e-3, 1e-5, 1e-6})))->convicts());
  std::vector<GainDeviation> samples;
  for (int n = 0; n < 1000; ++n) samples.push_back({n % 2 ? 0.8e-3 : -0.8e-3, 1e-5, 1e-6});
  EXPECT_LT(lean_over_run(cases_of(samples))->log10_evidence, 1);
}

TEST(LeanOverRun, ExcusesWhatMayBeSystematic) {
  EXPECT_LT(lean_over_run(cases_of(std::vector<GainDeviation>(1000, {0.8e-3, 0.8e-3, 1e-6})))->log10_evidence, 0.1);
}

TEST(LeanOverRun, CountsASeedOnce) {
  const auto lean = lean_over_run(cases_of(std::vector<GainDeviation>(100, {0.8e-3, 1e-5, 1e-6}), 7));
  EXPECT_EQ(lean->problems, 1);
  EXPECT_LT(lean->log10_evidence, 1);
}

/// Roundings are as large as v allows, and all that may be systematic leans one way: at most one run in ten reaches
/// evidence of 10.
TEST(LeanOverRun, RarelyConvictsWhatIsAllowed) {
  constexpr std::uint32_t runs = 2000, problems = 60;
  index alarms = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    std::vector<GainDeviation> samples;
    for (std::uint32_t n = 0; n < problems; ++n) {
      const double v = std::ldexp(1.0, -18 - static_cast<int>(n % 7)), s = n % 3 == 0 ? 1e-4 : 0;
      samples.push_back({s + std::sqrt(v) * standard_normal(Draw(29, {run, n, 0, 0})), s, v});
    }
    if (lean_over_run(cases_of(samples))->log10_evidence >= 1) ++alarms;
  }
  EXPECT_LE(alarms, runs / 10);
  fmt::print("{} of {} runs reach 10\n", alarms, runs);
}

std::vector<Problem> many_rows(const std::string& formats, int seeds) {
  std::vector<Problem> problems;
  for (int seed = 1; seed <= seeds; ++seed)
    problems.push_back(
        parse_problem(fmt::format("shape=128x2x4x24x8 dtype={} pass=forward+backward seed={}", formats, seed)));
  return problems;
}

KernelRun run_of(const SharedKernel& kernel, const std::vector<Problem>& problems) {
  return examine(kernel, {.problems = problems,
                          .properties = {property("gain"), property("gradient_gain")},
                          .asked = "--suite=mine",
                          .explain = false});
}

// slow: judges many problems
TEST(LeanOverRun, ConvictsAFactorThatNoProblemShowsSlow) {
  const SharedKernel wrong = storing_kernel("off_by_a_little", [](const StoredElement& element) {
    return element.tensor == TensorName::out ? (1 + 0x1p-12) * element.value : element.value;
  });
  const std::vector<Problem> problems = many_rows("bf16", 60);
  const KernelRun right = run_of(tiled_twin(), problems);
  EXPECT_TRUE(right.conforms());
  EXPECT_LT(right.lean->log10_evidence, 1) << right.lean->told();
  const KernelRun run = run_of(wrong, problems);
  EXPECT_EQ(run.counts.count(Outcome::failed), 0u);
  ASSERT_EQ(run.failures.size(), 1u) << run.lean->told();
  EXPECT_EQ(run.failures[0].verdict.reason, "leans");
  EXPECT_NEAR(run.lean->lean, 0x1p-12, 0x1p-14);
  EXPECT_EQ(run.lean->statistic, "gain of out in bf16");
  fmt::print("{}\n", run.lean->told());
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    std::ostringstream text;
    format.write({"0", "any", "mine", {run}}, {}, text);
    EXPECT_NE(text.str().find("--property=gain --property=gradient_gain --suite=mine"), std::string::npos) << name;
  }
}

class FalseAlarmsOverARun : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

/// Thousands of problems judged as one run, the more the sharper.
// slow: judges many problems
TEST_P(FalseAlarmsOverARun, DoNotHappen) {
  const auto& [name, formats] = GetParam();
  for (unsigned number = 0; number < effort(1, 4); ++number) {
    const SharedKernel kernel = make_kernel(random_kernel(name, number));
    std::vector<Problem> problems = many_rows(formats, 2);
    for (index seed = 1; seed <= effort(40, 1000); ++seed)
      for (const char* mask : {"full", "causal"})
        problems.push_back(parse_problem(fmt::format(
            "shape={}x2x{}x{}x{} mask={} dtype={} fill={} pass=forward+backward seed={}", 1 + seed % 7, 1 + seed % 13,
            2 + seed % 29, 1 + seed % 24, mask, formats, seed % 3 ? "normal" : "uniform", 100 + seed)));
    const KernelRun run = run_of(kernel, problems);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << kernel->name() << ": " << failure.verdict.evidence << " at " << failure.first.text();
    EXPECT_LT(run.lean->log10_evidence, 2) << run.lean->told();
    fmt::print("{} {}: {}\n", kernel->name(), formats, run.lean->told());
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FalseAlarmsOverARun,
                         testing::Combine(testing::ValuesIn(names_of_kernels_with_gradients()),
                                          testing::Values("f16", "bf16", "bf16>f32")),
                         by_parameter);

}  // namespace
}  // namespace attestone
