// SPDX-License-Identifier: Apache-2.0
// Correct kernels are never called wrong: random problems for every published kernel and format.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "backends/catalogue.hpp"
#include "conformance/generate.hpp"
#include "conformance/report.hpp"
#include "reference/registry.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

std::vector<Problem> random_problems(const DType& format, index count) {
  std::vector<Problem> problems;
  for (index number = 0; number < count; ++number) {
    Problem problem = random_problem(20261121, number);
    problem.output = problem.input == problem.output ? format : problem.output;
    problem.input = format;
    problems.push_back(problem);
  }
  return problems;
}

/// How often each size and feature occurs, drawn as bars.
void draw_histogram(const std::vector<Problem>& problems) {
  std::map<std::string, int> bars;
  for (const Problem& problem : problems) {
    for (const std::string& feature : features_of(problem)) ++bars[feature];
    for (index from = 1; from <= 256; from *= 4)
      bars[fmt::format("keys {:>3} to {:>4}", from, 4 * from - 1)] +=
          problem.shape.keys >= from && problem.shape.keys < 4 * from;
  }
  for (const auto& [name, count] : bars)
    fmt::print("  {:<24}{:>6} {}\n", name, count,
               std::string(static_cast<std::size_t>(count) * 60 / problems.size(), '#'));
}

class FalseAlarms : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(FalseAlarms, DoNotHappen) {
  const auto& [kernel, format] = GetParam();
  const auto problems = random_problems(dtype(format), effort(60, 5000));
  const KernelRun run = judge(make_kernel(kernel), {.problems = problems});
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                  << (failure.property ? repro_line(kernel, *failure.property, failure.first) : "");
  Accuracy worst;
  for (const auto& [formats, accuracy] : worst_accuracy(run)) {
    worst.r_det = std::max(worst.r_det, accuracy.r_det);
    worst.r_prob = std::max(worst.r_prob, accuracy.r_prob);
  }
  fmt::print("{} {}: {} problems, {} cases, worst r_det {:.3f}, worst r_prob {:.3f}\n", kernel, format, problems.size(),
             run.cases.size(), worst.r_det, worst.r_prob);
  if (kernel == "flash" && format == "f32") draw_histogram(problems);
}

INSTANTIATE_TEST_SUITE_P(EveryKernelAndFormat, FalseAlarms,
                         testing::Values(std::pair("dense", "f32"), std::pair("dense", "f16"),
                                         std::pair("dense", "bf16"), std::pair("flash", "f32"),
                                         std::pair("flash", "f16"), std::pair("flash", "bf16"),
                                         std::pair("flash:block_q=16:block_kv=32:block_kv_compute=8", "f16")),
                         [](const auto& test) { return fmt::format("{}_{}", test.index, test.param.second); });

}  // namespace
}  // namespace attestone
