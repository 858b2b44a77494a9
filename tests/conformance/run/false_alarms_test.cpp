// SPDX-License-Identifier: Apache-2.0
// Correct kernels are never called wrong: random problems and random settings for every kernel, format and pass. Each
// night draws other ones.
// slow: judges many problems
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

#include "conformance/problems/generate.hpp"
#include "conformance/reports/report.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/one_in.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr index problems_per_kernel = 20;
constexpr index least_conclusive = 100;

const std::uint64_t drawn_by = seed(20261121);

std::vector<Problem> random_problems(const DType& format, bool backward, index first, index count) {
  std::vector<Problem> problems;
  for (index number = first; number < first + count; ++number) {
    Problem problem = random_problem(drawn_by, number);
    problem.output = problem.input == problem.output ? format : problem.output;
    problem.input = format;
    problem.backward = backward;
    problems.push_back(problem);
  }
  return problems;
}

/// What many runs add up to.
struct Total {
  index problems = 0, cases = 0, kernels = 0;
  Coverage coverage;
  Accuracy worst;
  double evidence = 0;  ///< of a run that leans

  void add(const KernelRun& run, index problems_of_run) {
    ++kernels, problems += problems_of_run, cases += static_cast<index>(run.cases.size());
    for (const auto& [feature, counts] : run.coverage)
      for (const auto& [outcome, count] : counts) coverage[feature][outcome] += count;
    if (run.lean) evidence = std::max(evidence, run.lean->log10_evidence);
    for (const auto& [formats, accuracy] : worst_accuracy(run)) {
      worst.r_det = std::max(worst.r_det, accuracy.r_det);
      worst.r_prob = std::max(worst.r_prob, accuracy.r_prob);
    }
  }
  index conclusive(const std::string& feature) { return coverage[feature][Outcome::passed]; }
};

using Parameters = std::tuple<std::string, std::string, std::string>;

class FalseAlarms : public testing::TestWithParam<Parameters> {};

TEST_P(FalseAlarms, DoNotHappen) {
  const auto& [name, format, pass] = GetParam();
  const bool backward = pass == "backward";
  const index count = effort(3, 1000, 5000);
  Total total;
  for (index first = 0; first < count; first += problems_per_kernel) {
    const index here = std::min(problems_per_kernel, count - first);
    const std::string kernel = random_kernel(name, static_cast<unsigned>(first));
    const auto problems = random_problems(dtype(format), backward, first, here);
    const KernelRun run = examine(make_kernel(kernel), {.problems = problems});
    for (const Failure& failure : run.failures)
      if (failure.property)
        ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                      << repro_line(run.option, *failure.property, failure.first);
    EXPECT_FALSE(run.lean && run.lean->convicts()) << run.lean->told();
    EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
    total.add(run, here);
  }
  fmt::print(
      "{} with {} random settings, {} {}, seed {}: {} problems, {} cases, worst r_det {:.3f}, r_prob {:.3f}, evidence "
      "1e{:.1f}\n",
      name, total.kernels, format, pass, drawn_by, total.problems, total.cases, total.worst.r_det, total.worst.r_prob,
      total.evidence);
  for (const auto& [feature, counts] : total.coverage)
    fmt::print("  {:<24}{:>7} conclusive\n", feature, total.conclusive(feature));
  if (count < 1000) return;
  for (const Feature& feature : features()) {
    if (feature.name == "backward" && !backward) continue;
    EXPECT_GE(total.conclusive(std::string(feature.name)), least_conclusive) << feature.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, FalseAlarms,
                         testing::Combine(testing::Values("dense", "chunked", "flash", "decode"),
                                          testing::Values("f32", "f16", "bf16"),
                                          testing::Values("forward", "backward")),
                         by_parameter);

}  // namespace
}  // namespace attestone
