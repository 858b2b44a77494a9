// SPDX-License-Identifier: Apache-2.0
// Right methods of outside authors are never called wrong, whatever happens when; and what goes wrong in their worlds
// is noticed.
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ostream>

#include "backends/catalogue.hpp"
#include "backends/kernel_fault.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/test_name.hpp"

namespace attestone {

/// How tests name it.
void PrintTo(const NamedProgram& program, std::ostream* out) { *out << program.name; }

namespace {

/// A program on a mesh, with flash on each rank.
Candidate on(const NamedProgram& program, std::string_view mesh, const MeshEvents& events = {}) {
  Scanner text(mesh);
  const auto kernel = std::make_shared<MeshKernel>(program.make(), make_kernel("flash"), read_mesh(text), events);
  return {kernel, {fmt::format("--kernel={}", program.name), std::string(mesh)}};
}

std::string failures(const KernelRun& run) {
  std::string text;
  for (const Failure& failure : run.failures)
    text += fmt::format("{}: {}\n{}\n", failure.verdict.reason, failure.verdict.evidence,
                        failure.property ? repro_line(run.option, *failure.property, failure.first) : run.option);
  for (const std::string& own : run.own_failures) text += fmt::format("{}: {}\n", run.option, own);
  return text;
}

/// Problems of the suites that the kernel takes; in CI every so many of them, others on every mesh.
std::vector<Problem> sample(const Kernel& kernel, index mesh) {
  std::vector<Problem> taken, some;
  for (const char* suite : {"mesh", "smoke"})
    for (const Problem& problem : load_suite(suite))
      if (kernel.takes(problem)) taken.push_back(problem);
  const index stride = effort(421, 1);
  for (index i = mesh * 41 % stride; i < std::ssize(taken); i += stride)
    some.push_back(taken[static_cast<std::size_t>(i)]);
  return some;
}

/// In CI relations have their turn on one problem of each program (below): each of them calls a kernel several times.
std::vector<const Property*> left_out() {
  std::vector<const Property*> relations;
  if (effort(0, 1) == 1) return relations;
  for (const auto& [name, property] : Registry<Property>::all())
    if (property.relation) relations.push_back(&property);
  return relations;
}

class RightProgramsFalseAlarms : public testing::TestWithParam<NamedProgram> {};

// slow: judges many problems
TEST_P(RightProgramsFalseAlarms, DoNotHappen) {
  const NamedProgram& program = GetParam();
  index problems = 0, cases = 0, accused = 0, mesh = 0;
  for (const std::string_view on_this : program.meshes) {
    const Candidate candidate = on(program, on_this);
    const KernelRun run =
        examine(candidate, {.problems = sample(*candidate.kernel, mesh++), .excluded = left_out(), .shrink = false});
    EXPECT_EQ(failures(run), "");
    problems += run.problems, cases += std::ssize(run.cases), accused += std::ssize(run.failures);
  }
  EXPECT_GT(cases, 0);
  fmt::print("{}: {} meshes, {} problems, {} cases, {} failures\n", program.name, mesh, problems, cases, accused);
}

INSTANTIATE_TEST_SUITE_P(Programs, RightProgramsFalseAlarms, testing::ValuesIn(right_programs()), by_parameter);

const Problem small = parse_problem("shape=2x6/6x13x17x8 mask=causal score=alibi pass=forward+backward");

/// All bits that a kernel answers, or why it does not.
std::string answers(const Kernel& kernel) {
  RandomCall call(small);
  try {
    call.run(kernel);
    call.run_backward(kernel);
  } catch (const KernelFault& fault) {
    return fault.reason();
  }
  std::string bits;
  for (const std::uint64_t code : call.codes()) bits += fmt::format("{:x} ", code);
  return bits;
}

TEST(RightPrograms, AnswerTheSameWhateverHappensWhen) {
  index worlds = 0;
  for (const NamedProgram& program : right_programs()) {
    const std::string first = answers(*on(program, program.meshes[1]).kernel);
    ASSERT_TRUE(first.find(' ') != std::string::npos) << program.name << ": " << first;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(3, 100)); ++seed)
      for (const MeshEvents& events : {MeshEvents{seed, {}}, MeshEvents{seed, {{"delay", {}}}},
                                       MeshEvents{seed, {{"reorder", {}}}}, MeshEvents{seed, {{"straggler", {}}}}}) {
        const std::string name = events.faults.empty() ? "none" : events.faults.front().name;
        EXPECT_EQ(answers(*on(program, program.meshes[1], events).kernel), first)
            << program.name << " --world-seed=" << seed << " --faults=" << name;
        ++worlds;
      }
  }
  fmt::print("{} worlds\n", worlds);
}

/// The verdict of every case, one that a fault did not befall counted as if it had passed.
std::vector<std::string> verdicts(const Candidate& candidate) {
  std::vector<std::string> all;
  const KernelRun run = examine(candidate, {.problems = {small}, .explain = false});
  for (const Case& one : run.cases) {
    const bool untouched = one.verdict.reason == "fault-never-happened";
    all.push_back(fmt::format("{}: {} {}", one.property->name,
                              static_cast<int>(untouched ? Outcome::passed : one.verdict.outcome),
                              untouched ? "" : one.verdict.reason));
  }
  return all;
}

// slow: judges many problems
TEST(RightPrograms, AreJudgedTheSameHoweverSlow) {
  const char* const harmless[] = {"delay", "reorder", "straggler"};
  std::uint64_t seed = 0;
  for (const NamedProgram& program : right_programs()) {
    const auto first = verdicts(on(program, program.meshes[1]));
    for (index turn = 0; turn < effort(1, 12); ++turn) {
      const char* fault = harmless[++seed % 3];
      EXPECT_EQ(verdicts(on(program, program.meshes[1], {seed, {{fault, {}}}})), first)
          << program.name << " --world-seed=" << seed << " --faults=" << fault;
    }
  }
}

/// Faults that happen in every program, and what they are called.
const std::pair<FaultCall, const char*> harms[] = {
    {{"drop", {"0"}}, "lost-message"},
    {{"drop", {"7"}}, "lost-message"},
    {{"duplicate", {"1"}}, "duplicate-message"},
    {{"duplicate", {"5"}}, "duplicate-message"},
    {{"corrupt", {"2"}}, "corrupted-message"},
    {{"corrupt", {"6"}}, "corrupted-message"},
    {{"dead_rank", {"0", "0"}}, "dead-rank"},
    {{"dead_rank", {"1", "1"}}, "dead-rank"},
    {{"mismatched_collective", {"0", "0"}}, "mismatched-message"},
    {{"mismatched_collective", {"1", "0"}}, "mismatched-message"},
};

TEST(RightPrograms, AreNotServedByBrokenWorlds) {
  for (const NamedProgram& program : right_programs())
    for (const auto& [fault, reason] : harms)
      for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(3, 100)); ++seed)
        EXPECT_EQ(answers(*on(program, program.meshes[1], {seed, {fault}}).kernel), reason)
            << program.name << " --world-seed=" << seed << " --faults=" << fault.name << ":" << fault.arguments.front();
}

}  // namespace
}  // namespace attestone
