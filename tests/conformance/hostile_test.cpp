// SPDX-License-Identifier: Apache-2.0
// Kernels that do harm (tests/hostile/): each gets the verdict that its file expects, attestone survives them all, and
// nothing stays behind.
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

using Path = std::filesystem::path;

/// A hostile kernel: "// expect: REASON ARGUMENTS" in its file.
struct HostileKernel {
  std::string name, reason, arguments;

  friend void PrintTo(const HostileKernel& kernel, std::ostream* out) { *out << kernel.name; }
};

std::vector<HostileKernel> hostile_kernels() {
  const std::string marker = "// expect: ";
  std::vector<HostileKernel> all;
  for (const auto& entry : std::filesystem::directory_iterator(Path(ATTESTONE_SOURCE_DIR) / "tests/hostile")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(marker)) {
        const std::size_t space = line.find(' ', marker.size());
        all.push_back(
            {entry.path().stem().string(), line.substr(marker.size(), space - marker.size()), line.substr(space + 1)});
      }
  }
  return all;
}

std::set<std::string> entries_of(const Path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// Shared memory, but for what the OpenMP runtimes of other tests register there.
std::set<std::string> shared_memory() {
  std::set<std::string> names = entries_of("/dev/shm");
  std::erase_if(names, [](const std::string& name) { return name.starts_with("__KMP_REGISTERED_LIB"); });
  return names;
}

/// Processes of outside kernels: those that descend from a worker of this test have its mark in their environment.
std::set<std::string> processes_marked(const std::string& mark) {
  std::set<std::string> all;
  for (const std::string& name : entries_of("/proc")) {
    std::ifstream file("/proc/" + name + "/environ", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find(mark) != std::string::npos) all.insert(name);
  }
  return all;
}

class Hostile : public testing::TestWithParam<HostileKernel> {
 protected:
  const std::string mark = "ATTESTONE_HOSTILE_TEST=" + GetParam().name;
  /// Where the kernel is let loose.
  const ScratchFolder folder;
};

TEST_P(Hostile, GetsItsVerdictAndLeavesNothing) {
  const HostileKernel& kernel = GetParam();
  std::filesystem::copy_file(Path(ATTESTONE_SOURCE_DIR) / "tests/hostile/visible.txt", folder / "visible.txt");
  const auto files = entries_of(folder.path()), shared = shared_memory();
  const ShellOutput output =
      shell(fmt::format("cd {} && {} attestone run --plugin='{}/hostile/{}.so' {} --format=json", folder.string(), mark,
                        ATTESTONE_PROGRAM_DIR, kernel.name, kernel.arguments));
  EXPECT_EQ(output.status, 1) << output.text;
  const nlohmann::json report = nlohmann::json::parse(output.text);
  const nlohmann::json& failures = report.at("runs").at(0).at("failures");
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.at(0).at("reason"), kernel.reason) << failures.dump(1);
  EXPECT_EQ(processes_marked(mark), std::set<std::string>{});
  EXPECT_EQ(entries_of(folder.path()), files);
  EXPECT_EQ(shared_memory(), shared);
}

INSTANTIATE_TEST_SUITE_P(Each, Hostile, testing::ValuesIn(hostile_kernels()),
                         [](const auto& kernel) { return kernel.param.name; });

// Not even an attestone that is killed in the middle of a call leaves anything.
TEST(HostileKernels, DoNotOutliveAttestone) {
  const std::string mark = "ATTESTONE_HOSTILE_TEST=outlives";
  // clang's OpenMP runtime registers in shared memory, and cannot take that back when it is killed.
  shell(
      fmt::format("{} attestone run --plugin='{}/hostile/hangs.so' 'shape=1x1x4x4x4' 2>/dev/null & pid=$!; "
                  "sleep 1; kill -KILL $pid; wait $pid; rm -f /dev/shm/__KMP_REGISTERED_LIB_${{pid}}_*",
                  mark, ATTESTONE_PROGRAM_DIR));
  for (int patience = 0; patience < 100 && !processes_marked(mark).empty(); ++patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(processes_marked(mark), std::set<std::string>{});
}

TEST(HostileKernels, AreMany) { EXPECT_GE(hostile_kernels().size(), 16u); }

}  // namespace
}  // namespace attestone
