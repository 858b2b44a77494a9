// SPDX-License-Identifier: Apache-2.0
// Distributed methods on random meshes are never called wrong, whatever the problem.
// slow: judges many problems
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/problems/generate.hpp"
#include "conformance/reports/report.hpp"
#include "tests/one_in.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {
namespace {

const std::uint64_t drawn_by = seed(20261123);

TEST(MeshFalseAlarms, DoNotHappen) {
  index problems = 0, cases = 0;
  struct Asked {
    index problems = 0, cases = 0;
  };
  std::map<std::string, Asked> by_method;
  double r_det = 0, r_prob = 0;
  std::mt19937_64 random(drawn_by);
  for (index number = 0; problems < effort(100, 2000, 10000); ++number) {
    const MethodOnMesh method = random_method(random);
    const SharedKernel kernel = on_mesh(method.program, method.mesh);
    const Problem problem = random_problem(drawn_by, number);
    if (!kernel->takes(problem)) continue;
    const KernelOption option(fmt::format("--kernel='{}'", method.program), method.mesh);
    const KernelRun run = examine(Candidate(kernel, option), {.problems = {problem}});
    for (const Failure& failure : run.failures)
      if (failure.property)
        ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                      << repro_line(run.option, *failure.property, failure.first);
    EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
    const auto asked = static_cast<index>(run.cases.size());
    ++problems, cases += asked;
    Asked& of_method = by_method[method.program.substr(0, method.program.find(':'))];
    ++of_method.problems, of_method.cases += asked;
    for (const auto& [formats, accuracy] : worst_accuracy(run))
      r_det = std::max(r_det, accuracy.r_det), r_prob = std::max(r_prob, accuracy.r_prob);
  }
  fmt::print("seed {}: {} problems, {} cases, worst r_det {:.3f}, r_prob {:.3f}\n", drawn_by, problems, cases, r_det,
             r_prob);
  for (const auto& [method, asked] : by_method)
    fmt::print("  {:<24}{:>7} problems, {:>7} cases\n", method, asked.problems, asked.cases);
}

}  // namespace
}  // namespace attestone
