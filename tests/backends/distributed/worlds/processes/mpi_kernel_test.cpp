// SPDX-License-Identifier: Apache-2.0
// Real processes compute what the simulated devices compute: bit for bit, in both passes.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

#include "tests/backends/distributed/worlds/processes/crew_of_processes.hpp"
#include "tests/contains.hpp"
#include "tests/places.hpp"
#include "tests/random_call.hpp"
#include "tests/shell.hpp"
#include "tests/simulate/all_meshes.hpp"
#include "tests/simulate/method_on_meshes.hpp"

namespace attestone {
namespace {

using Codes = std::vector<std::uint64_t>;

Codes answers(const Problem& problem, const Kernel& kernel) {
  RandomCall call(problem);
  call.run(kernel);
  if (problem.backward) call.run_backward(kernel);
  return call.codes();
}

/// The measurements of each device in one call of a kernel.
std::vector<MeasuredDevice> devices(const Problem& problem, const Kernel& kernel) {
  RandomCall call(problem);
  std::optional<VisiblePairs> mask;
  if (kernel.wants_mask_bytes(problem)) mask.emplace(problem);
  Device device;
  kernel.forward(problem, arguments_of(problem, call.inputs, call.outputs, mask ? &*mask : nullptr), device);
  return device.devices();
}

class ByMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpi()) GTEST_SKIP() << "without MPI";
    crew = crew_of(8);
  }

  void expect_same(const MethodOnMesh& method, const Problem& problem, const std::string& local = "flash") const {
    const MpiKernel kernel = by_mpi(method.program, method.mesh, crew, local);
    const auto simulated = on_mesh(method.program, method.mesh, {}, local);
    EXPECT_EQ(kernel.takes(problem).why, "") << method.program << " on " << method.mesh << ": " << problem.text();
    EXPECT_TRUE(answers(problem, kernel) == answers(problem, *simulated))
        << "other bits: " << method.program << " on " << method.mesh << ": " << problem.text();
  }

  std::shared_ptr<RankCrew> crew;
};

/// The method with the settings that deal these heads to every group.
std::string dealing_heads(const std::string& method, index ulysses, const Shape& shape) {
  if (ulysses > shape.kv_heads) return method + ":kv=copied";
  return shape.kv_heads % ulysses == 0 ? method : method + ":heads=uneven";
}

/// So many devices along the method's axis; of two axes along each of them, or, where that is possible, along both.
std::vector<std::string> meshes_along(const std::string& method, index devices) {
  const std::vector<std::string> axes = axes_of(method);
  if (axes.size() == 2 && devices % 2 == 0 && devices > 2)
    return {fmt::format("{}:2+{}:{}", axes[0], axes[1], devices / 2),
            fmt::format("{}:2+{}:{}", axes[1], axes[0], devices / 2)};
  std::vector<std::string> all;
  for (const std::string& axis : axes) all.push_back(fmt::format("{}:{}", axis, devices));
  return all;
}

/// Equal shards, unequal ones, some without a row; as many kv heads as query heads, and fewer.
TEST_F(ByMpi, TwoThreeFourAndEightRanksGiveTheBitsOfTheSimulation) {
  for (const std::string& method : all_methods())
    for (const index devices : {2, 3, 4, 8})
      for (const std::string& mesh : meshes_along(method, devices))
        for (const char* text : {"shape=1x8x24x48x4", "shape=1x8/4x3x5x4 mask=causal dtype=bf16",
                                 "shape=2x8/4x11x13x4 mask=window:4:1 lengths=13+4 query_lengths=9+2 dtype=f16"}) {
          const Problem problem = parse_problem(text + std::string(" pass=forward+backward"));
          expect_same({dealing_heads(method, mesh_of(mesh).devices("ulysses"), problem.shape), mesh}, problem);
        }
}

TEST_F(ByMpi, EverySettingOfEveryMethodGivesTheBitsOfTheSimulation) {
  const std::vector<const char*> fields{"mask=causal dtype=bf16", "mask=document:3 score=alibi dropout=0.1",
                                        "score=bias:head&sink:head"};
  std::size_t number = 0;
  for (const MethodOnMesh& method : methods_on_meshes())
    if (mesh_of(method.mesh).devices() <= crew->size())
      expect_same(method, carried_by(method, fields[number++ % fields.size()]));
  EXPECT_GT(number, 3 * all_methods().size());
}

TEST_F(ByMpi, AnotherLocalKernelAndOddShapesGiveTheBitsOfTheSimulation) {
  for (const char* problem : {"shape=1x2x3x5x4", "shape=1x1x1x1x1 mask=causal", "shape=2x2x0x7x4", "shape=1x2x7x0x4",
                              "shape=2x4/2x9x13x4 layout=ragged lengths=13+4 query_lengths=9+2",
                              "shape=2x4/2x9x13x4:6 layout=bshd dtype=bf16>f32 pass=forward+backward"})
    for (const char* local : {"flash", "dense"}) expect_same({"ring", "ring:4"}, parse_problem(problem), local);
}

TEST_F(ByMpi, RanksSendAndHoldWhatIsDocumented) {
  const MethodOnMesh method{"two_dimensional", "ulysses:2+ring:2"};
  const Problem problem = carried_by(method, "");
  const auto measured = devices(problem, by_mpi(method.program, method.mesh, crew));
  const auto simulated = devices(problem, *on_mesh(method.program, method.mesh));
  ASSERT_EQ(measured.size(), 4u);
  for (std::size_t rank = 0; rank < measured.size(); ++rank) {
    EXPECT_EQ(measured[rank].measured, simulated[rank].measured);
    EXPECT_EQ(measured[rank].documented, simulated[rank].documented);
    EXPECT_GT(measured[rank].measured.messages, 0);
  }
}

/// Processes stay from call to call: starting them takes long.
TEST_F(ByMpi, FewerDevicesAreServedByTheSameProcesses) {
  const MethodOnMesh method{"ring", "ring:4"};
  const Problem problem = carried_by(method, "mask=causal");
  const MpiKernel kernel = by_mpi(method.program, method.mesh, crew);
  EXPECT_EQ(kernel.name(), "ring on ring:4 by MPI");
  std::vector<std::string> names;
  for (const SharedKernel& fewer : kernel.on_fewer_devices()) {
    names.push_back(fewer->devices());
    EXPECT_TRUE(answers(problem, *fewer) == answers(problem, *on_mesh("ring", fewer->devices()))) << fewer->name();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ring:1", "ring:2", "ring:3"}));
}

/// Names that Open MPI leaves in shared memory, also where the keeper has none of its own.
std::set<std::string> shared_memory_of_mpi() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string(), ours = fmt::format("attestone-{}-", getpid());
    if (name.starts_with(ours) || name.starts_with("vader_segment.") || name.starts_with("ompi.")) names.insert(name);
  }
  return names;
}

TEST(RanksOfMpi, LeaveNothingInSharedMemory) {
  if (!has_mpi()) GTEST_SKIP() << "without MPI";
  const std::set<std::string> before = shared_memory_of_mpi();
  const Problem problem = parse_problem("shape=1x2x8x8x4");
  EXPECT_FALSE(answers(problem, by_mpi("ring", "ring:3", crew_of(3))).empty());
  EXPECT_EQ(shared_memory_of_mpi(), before);
}

TEST(LibraryWithoutMpi, NeitherLinksItNorLoadsItByItself) {
  for (const char* file : {"libattestone.so", "libattestone_mutants.so", "attestone"}) {
    const std::string needs = shell("ldd " + program_folder() + "/" + file).text;
    EXPECT_TRUE(contains(needs, "libc.so")) << needs;
    EXPECT_FALSE(contains(needs, "libmpi")) << needs;
  }
}

}  // namespace
}  // namespace attestone
