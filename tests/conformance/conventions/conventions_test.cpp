// SPDX-License-Identifier: Apache-2.0
// A kernel that follows a convention conforms if it declares it, and only then; and whatever else is wrong with it is
// seen.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "backends/catalogue.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "backends/top_left_causal.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/tiled.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/conventions/conventional_kernels.hpp"
#include "tests/one_in.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

/// Rows without keys by mask, length and bias, sinks, hidden NaN, dropout, shared heads, gradients; and plain problems.
const char* const problems[] = {
    "shape=2x4/2x9x5x8 mask=causal pass=forward+backward",
    "shape=1x2x5x9x8 mask=causal pass=forward+backward seed=2",
    "shape=2x2x7x20x8:4 mask=window:2:0 lengths=20+3 query_lengths=7+2 pass=forward+backward",
    "shape=2x2x7x20x8 lengths=0+20 pass=forward+backward",
    "shape=1x2x6x18x8 score=bias:pair fill=sinks pass=forward+backward",
    "shape=1x2x20x18x8 mask=~prefix:4 score=sink:head pass=forward+backward",
    "shape=1x2x9x5x8 mask=causal dropout=0.25 pass=forward+backward",
    "shape=1x2x9x7x8 mask=causal fill=nonfinite pass=forward+backward",
    "shape=1x2x9x33x8 mask=window:3:0 fill=nonfinite pass=forward+backward seed=3",
    "shape=1x2x9x5x8 mask=causal dtype=bf16 pass=forward+backward",
    "shape=2x1x3x0x8 pass=forward+backward",
    "shape=1x2x17x33x8 pass=forward+backward",
    "shape=2x2x7x20x8 lengths=0+20 mask=causal wants=out+log_sum_exp+max_logits",
    "shape=1x2x9x7x8 mask=causal fill=nonfinite wants=out+log_sum_exp+max_logits",
};

KernelRun run_of(const SharedKernel& kernel, const std::string& problem) {
  RunOptions options{.problems = {parse_problem(problem)}, .explain = false};
  if (!kernel->computes_gradients()) options.problems.front().backward = false;
  for (const auto& [name, property] : Registry<Property>::all()) options.properties.push_back(&property);
  return examine(kernel, options);
}

void expect_right(const SharedKernel& kernel, const std::string& declares) {
  index refused = 0;
  for (const char* problem : problems) {
    const KernelRun run = run_of(kernel, problem);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << declares << ", " << (failure.property ? failure.property->name : "the run") << ": "
                    << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                    << problem;
    EXPECT_TRUE(run.own_failures.empty()) << declares << " " << problem;
    refused += run.decided() ? 0 : 1;
  }
  EXPECT_LE(refused, 4) << declares;
}

bool conforms_everywhere(const SharedKernel& kernel) {
  return std::ranges::all_of(problems, [&](const char* problem) { return run_of(kernel, problem).conforms(); });
}

// slow: judges many problems
TEST(Conventions, KernelsConformByTheirOwn) {
  for (const ConventionalKernel& each : conventional_kernels()) expect_right(each.kernel, each.declares);
}

/// In CI each on other problems of the suite.
// slow: judges many problems
TEST(Conventions, KernelsConformOnTheSmokeSuiteSlow) {
  const std::vector<Problem> smoke = load_suite("smoke");
  const OneIn part(24);
  for (const ConventionalKernel& each : conventional_kernels()) {
    RunOptions options{.threads = omp_get_max_threads(), .explain = false};
    for (const Problem& problem : smoke)
      if (part.holds(each.declares + problem.text())) options.problems.push_back(problem);
    const KernelRun run = examine(each.kernel, options);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << each.declares << ", " << (failure.property ? failure.property->name : "the run") << ": "
                    << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                    << failure.first.text();
    EXPECT_TRUE(run.own_failures.empty()) << each.declares;
  }
}

TEST(Conventions, KernelsDoNotConformByThoseOfTheRules) {
  for (const ConventionalKernel& each : conventional_kernels())
    EXPECT_FALSE(conforms_everywhere(declaring(each.kernel, ""))) << each.declares;
}

TEST(Conventions, WhoDeclaresOneButFollowsTheRulesDoesNotConform) {
  for (const char* declares : {"empty_rows=nan", "empty_rows=mean", "lse=log2", "causal=top_left"})
    EXPECT_FALSE(conforms_everywhere(declaring(tiled_twin(), declares))) << declares;
  for (const char* declares : {"empty_rows=undefined", "hidden_nonfinite=propagates", "outputs=out"})
    expect_right(declaring(tiled_twin(), declares), declares);
}

// slow: judges many problems
TEST(Conventions, ExcuseNothingElse) {
  for (const ConventionalKernel& each : conventional_kernels())
    for (const char* problem : problems) {
      const Problem parsed = parse_problem(problem);
      if (parsed.shape.keys == 0 || parsed.fill.name == "nonfinite") continue;
      const KernelRun run = run_of(off_by(0.5, each.kernel), problem);
      const bool convicted = std::ranges::any_of(run.failures, [](const Failure& failure) {
        return failure.property && failure.property->name == "value_bound";
      });
      EXPECT_TRUE(convicted) << each.declares << " " << problem;
    }
}

TEST(Conventions, CausalIsUnderstoodByThemAndNamedByThem) {
  const Conventions top_left{.causal = CausalAlignment::top_left};
  const auto mask = [](const char* text) { return parse_problem(text).mask; };
  const Problem problem = parse_problem("shape=1x1x3x5x4 mask=~(causal&window:1:1)|prefix:2");
  const Problem understood = as_understood(problem, top_left);
  EXPECT_EQ(understood.mask, mask("shape=1x1x3x5x4 mask=~(causal:top_left&window:1:1)|prefix:2"));
  EXPECT_EQ(as_named(understood, top_left), problem);
  EXPECT_EQ(as_understood(problem, {}), problem);
  const Problem square = parse_problem("shape=1x1x5x5x4 mask=causal");
  EXPECT_EQ(as_understood(square, top_left), square) << "both alignments are one";
  const SharedKernel kernel = following_the_rules_of_causal(declaring(make_kernel("dense"), "causal=top_left"));
  EXPECT_TRUE(kernel->supports(square));
  EXPECT_TRUE(kernel->supports(understood));
  EXPECT_FALSE(kernel->supports(parse_problem("shape=1x1x3x5x4 mask=causal")));
}

SharedKernel plugin(const std::string& name) {
  return plugin_kernel(fmt::format("{}/plugins/{}.so", program_folder(), name), {});
}

TEST(Conventions, AreDeclaredThroughTheCInterface) {
  const SharedKernel kernel = plugin("answers_by_convention");
  EXPECT_EQ(kernel->conventions(),
            declared_conventions("outputs=out empty_rows=nan hidden_nonfinite=propagates", "the test"));
  expect_right(kernel, "the plugin");
  EXPECT_FALSE(conforms_everywhere(declaring(kernel, "")));
}

}  // namespace
}  // namespace attestone
