// SPDX-License-Identifier: Apache-2.0
// Correct kernels are never called wrong: random problems and random settings for every kernel of the catalogue, in
// each format and pass that it takes. Each night draws other ones.
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

/// Random problems of one format and pass.
class Drawn {
 public:
  Drawn(const DType& format, bool backward) : format_(format), backward_(backward) {}

  /// So many that the kernel takes; each is drawn once.
  std::vector<Problem> taken_by(const Kernel& kernel, index count) {
    std::vector<Problem> problems;
    while (std::ssize(problems) < count) {
      const Problem problem = next();
      if (kernel.takes(problem))
        problems.push_back(problem);
      else
        ++refused_;
    }
    return problems;
  }
  index refused() const { return refused_; }

 private:
  Problem next() {
    Problem problem = random_problem(drawn_by, number_++);
    problem.output = problem.input == problem.output ? format_ : problem.output;
    problem.input = format_;
    problem.backward = backward_;
    return problem;
  }

  const DType& format_;
  bool backward_;
  index number_ = 0, refused_ = 0;
};

/// Totals of many runs.
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
  Drawn drawn(dtype(format), backward);
  for (index first = 0; first < count; first += problems_per_kernel) {
    const index here = std::min(problems_per_kernel, count - first);
    const SharedKernel kernel = make_kernel(random_kernel(name, static_cast<unsigned>(first)));
    const KernelRun run = examine(kernel, {.problems = drawn.taken_by(*kernel, here)});
    for (const Failure& failure : run.failures)
      if (failure.property)
        ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                      << repro_line(run.option, *failure.property, failure.first);
    EXPECT_FALSE(run.lean && run.lean->convicts()) << run.lean->told();
    EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
    total.add(run, here);
  }
  fmt::print(
      "{} with {} random settings, {} {}, seed {}: {} problems ({} refused), {} cases, worst r_det {:.3f}, r_prob "
      "{:.3f}, evidence 1e{:.1f}\n",
      name, total.kernels, format, pass, drawn_by, total.problems, drawn.refused(), total.cases, total.worst.r_det,
      total.worst.r_prob, total.evidence);
  for (const auto& [feature, counts] : total.coverage)
    fmt::print("  {:<24}{:>7} conclusive\n", feature, total.conclusive(feature));
  if (count < 1000 || drawn.refused() > 0) return;
  for (const Feature& feature : features()) {
    if (feature.name == "backward" && !backward) continue;
    EXPECT_GE(total.conclusive(std::string(feature.name)), least_conclusive) << feature.name;
  }
}

/// Every kernel of the catalogue with each format and pass that it takes.
std::vector<Parameters> every_kernel() {
  std::vector<Parameters> all;
  for (const std::string& name : Registry<KernelEntry>::names())
    for (const char* format : {"f32", "f16", "bf16"})
      for (const auto& [pass, text] : {std::pair{"forward", "forward"}, std::pair{"backward", "forward+backward"}})
        if (make_kernel(name)->takes(parse_problem(fmt::format("shape=1x2x8x8x8 dtype={} pass={}", format, text))))
          all.emplace_back(name, format, pass);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Every, FalseAlarms, testing::ValuesIn(every_kernel()), by_parameter);

}  // namespace
}  // namespace attestone
