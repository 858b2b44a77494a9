// SPDX-License-Identifier: Apache-2.0
// What meshes may not change: degree one is the local call, the order of events changes no bit, faults are named.
#include <gtest/gtest.h>

#include "backends/kernel_fault.hpp"
#include "reference/registry.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {
namespace {

using Codes = std::vector<std::uint64_t>;

Codes answers(const Problem& problem, const Kernel& kernel) {
  RandomCall call(problem);
  call.run(kernel);
  if (problem.backward) call.run_backward(kernel);
  return call.codes();
}

const Problem small = parse_problem("shape=2x4/2x13x17x8 mask=causal dropout=0.1 score=alibi pass=forward+backward");

TEST(MeshKernel, OfOneDeviceIsTheLocalCall) {
  for (const char* problem : {"shape=2x4/2x13x17x8 mask=causal", "shape=2x4/2x13x17x8:5 lengths=3+17 dtype=bf16",
                              "shape=1x2x9x9x4 score=sink:head mask=window:3:0"}) {
    const Codes local = answers(parse_problem(problem), *make_kernel("flash"));
    for (const auto& [program, mesh] :
         {MethodOnMesh{"ring", "ring:1"}, MethodOnMesh{"ulysses", "ulysses:1"},
          MethodOnMesh{"two_dimensional", "ulysses:1+ring:1"}, MethodOnMesh{"all_gather", "ring:1"},
          MethodOnMesh{"token_ring", "ring:1"}, MethodOnMesh{"double_ring", "inner:1"}})
      EXPECT_EQ(answers(parse_problem(problem), *on_mesh(program, mesh)), local) << problem << " " << program;
  }
}

TEST(MeshKernel, OfTwoDimensionsIsItsOtherOneWhereOneIsOne) {
  EXPECT_EQ(answers(small, *on_mesh("two_dimensional", "ulysses:2+ring:1")),
            answers(small, *on_mesh("ulysses", "ulysses:2")));
  EXPECT_EQ(answers(small, *on_mesh("two_dimensional", "ulysses:1+ring:3")),
            answers(small, *on_mesh("ring", "ring:3")));
}

TEST(MeshKernel, AnswersTheSameWithCopiedHeads) {
  const Problem problem = parse_problem("shape=2x6/3x13x17x8 mask=causal lengths=17+5");
  const Codes local = answers(problem, *make_kernel("flash"));
  for (const char* mesh : {"ulysses:2", "ulysses:3", "ulysses:6"})
    EXPECT_EQ(answers(problem, *on_mesh("ulysses:kv=copied", mesh)), local) << mesh;
}

TEST(MeshKernel, AnswersTheSameWhateverAxisIsInner) {
  EXPECT_EQ(answers(small, *on_mesh("two_dimensional", "ulysses:2+ring:3")),
            answers(small, *on_mesh("two_dimensional", "ring:3+ulysses:2")));
}

TEST(MeshKernel, AnswersTheSameInWhateverOrderThingsHappen) {
  for (const auto& [program, mesh] : {MethodOnMesh{"ring:hops=all", "ring:4"}, MethodOnMesh{"ulysses", "ulysses:2"},
                                      MethodOnMesh{"two_dimensional", "ulysses:2+ring:3"}}) {
    const Codes first = answers(small, *on_mesh(program, mesh));
    for (std::uint64_t seed = 1; seed < static_cast<std::uint64_t>(effort(30, 1000, 1000)); ++seed)
      ASSERT_EQ(answers(small, *on_mesh(program, mesh, {seed, {}})), first) << program << " --world-seed=" << seed;
  }
}

TEST(MeshKernel, NamesEveryFaultOrIsNotChangedByIt) {
  for (const auto& [program, mesh] :
       {MethodOnMesh{"ring", "ring:2"}, MethodOnMesh{"ring", "ring:4"}, MethodOnMesh{"ulysses", "ulysses:2"},
        MethodOnMesh{"two_dimensional", "ulysses:2+ring:3"}}) {
    const Codes right = answers(small, *on_mesh(program, mesh));
    for (const auto& [name, rule] : Registry<FaultRule>::all())
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const MeshEvents events{seed, {{name, {}}}};
        std::string reason = "none";
        try {
          EXPECT_EQ(answers(small, *on_mesh(program, mesh, events)), right) << program << " --faults=" << name;
        } catch (const KernelFault& fault) {
          reason = fault.reason();
        }
        const bool harmless = name == "straggler" || name == "delay" || name == "reorder";
        EXPECT_EQ(reason == "none", harmless)
            << program << " --faults=" << name << " --world-seed=" << seed << ": " << reason;
      }
  }
}

TEST(MeshKernel, RefusesAnAxisThatItsMethodLacks) {
  const Support support = on_mesh("ring", "ulysses:2")->supports(small);
  EXPECT_FALSE(support);
  EXPECT_EQ(support.why, "does not run along the axis ulysses");
}

/// Whatever a refusal offers is accepted, and nothing that would be is left out.
TEST(MeshKernel, OffersWhatTakesTheProblemInstead) {
  const auto why = [](const char* problem, const char* method, const char* mesh, const char* local = "flash") {
    return on_mesh(method, mesh, {}, local)->supports(parse_problem(problem)).why;
  };
  EXPECT_EQ(why("shape=1x4/2x6x6x4", "ulysses", "ulysses:3"),
            "2 kv heads cannot be dealt evenly to 3 devices; ring on ring:3 can");
  EXPECT_EQ(
      why("shape=1x40x64x64x8", "ulysses", "ulysses:16"),
      "40 kv heads cannot be dealt evenly to 16 devices; ulysses:heads=uneven on ulysses:16 or two_dimensional on "
      "ulysses:8+ring:2 can");
  EXPECT_EQ(why("shape=1x12/2x6x6x4", "ulysses", "ulysses:3"),
            "2 kv heads cannot be dealt evenly to 3 devices; ulysses:kv=copied on ulysses:3 or ring on ring:3 can");
  EXPECT_EQ(why("shape=1x4/2x6x6x4", "ulysses:heads=uneven", "ulysses:3"),
            "2 kv heads are too few for 3 devices; ring on ring:3 can");
  EXPECT_EQ(why("shape=1x4/2x6x6x4", "two_dimensional", "ulysses:3+ring:2"),
            "2 kv heads cannot be dealt evenly to 3 devices; two_dimensional on ulysses:2+ring:3 can");
  EXPECT_EQ(why("shape=1x4/2x6x6x4", "ulysses", "ulysses:3", "split"), "2 kv heads cannot be dealt evenly to 3 devices")
      << "a ring would merge what split has merged";
}

}  // namespace
}  // namespace attestone
