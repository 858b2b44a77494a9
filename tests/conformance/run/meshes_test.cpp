// SPDX-License-Identifier: Apache-2.0
// Distributed methods, ours and those of other systems, are never called wrong on random meshes.
// slow: judges many problems
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/problems/generate.hpp"
#include "conformance/reports/report.hpp"
#include "tests/one_in.hpp"
#include "tests/simulate/random_mesh.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

const std::uint64_t drawn_by = seed(20261123);

class MeshFalseAlarms : public testing::TestWithParam<std::string> {};

TEST_P(MeshFalseAlarms, DoNotHappen) {
  const RankProgramEntry& entry = *Registry<RankProgramEntry>::find(GetParam());
  std::mt19937_64 random(drawn_by);
  index problems = 0, cases = 0;
  double r_det = 0, r_prob = 0;
  for (index number = 0; problems < effort(8, 150, 800); ++number) {
    const MethodOnMesh method = random_method(entry, random);
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
    ++problems, cases += std::ssize(run.cases);
    for (const auto& [formats, accuracy] : worst_accuracy(run))
      r_det = std::max(r_det, accuracy.r_det), r_prob = std::max(r_prob, accuracy.r_prob);
  }
  fmt::print("{}, seed {}: {} problems, {} cases, worst r_det {:.3f}, r_prob {:.3f}\n", entry.name, drawn_by, problems,
             cases, r_det, r_prob);
}

/// A problem that no method refuses on its own meshes, unless it refuses everything.
Support takes_a_plain_problem(const std::string& method) {
  const Problem plain = parse_problem("shape=2x12x48x48x8 dtype=bf16");
  return on_mesh(method, Registry<RankProgramEntry>::find(method)->meshes.back())->takes(plain);
}

std::vector<std::string> every_method() {
  std::vector<std::string> all = Registry<RankProgramEntry>::names();
  std::erase_if(all, [](const std::string& name) { return !takes_a_plain_problem(name); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Every, MeshFalseAlarms, testing::ValuesIn(every_method()), by_parameter);

/// MaxDiffusion documents one name that it does not register, so that nothing can be asked of it.
TEST(EveryMethod, IsLookedAtUnlessNothingCanBeAskedOfIt) {
  std::vector<std::string> others = Registry<RankProgramEntry>::names();
  std::erase_if(others, [](const std::string& name) { return static_cast<bool>(takes_a_plain_problem(name)); });
  EXPECT_EQ(others, std::vector<std::string>{"maxdiffusion/ring"});
}

}  // namespace
}  // namespace attestone
