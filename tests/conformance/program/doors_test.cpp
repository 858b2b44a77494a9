// SPDX-License-Identifier: Apache-2.0
// The doors as a user meets them: a new directory builds, its right kernel passes, its wrong one fails with a line that
// fails again, and what cannot be used is a mistake with a message.
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "backends/plugins/protocol/kernel.h"
#include "conformance/problems/suite.hpp"
#include "tests/contains.hpp"
#include "tests/one_in.hpp"
#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

using Path = std::filesystem::path;

/// The repro line of a report; empty if it has none.
std::string repro_of(const std::string& report) {
  const std::string marker = "repro     ";
  const std::size_t begin = report.find(marker);
  if (begin == std::string::npos) return "";
  return report.substr(begin + marker.size(), report.find('\n', begin) - begin - marker.size());
}

class Doors : public testing::Test {
 protected:
  /// Runs a line in the new directory.
  ShellOutput in_folder(const std::string& line) const {
    return shell(fmt::format("cd {} && {}", folder.string(), line));
  }

  /// The right kernel conforms on the suite that everybody begins with; in CI on a sixth of it.
  void expect_conforms() const {
    const OneIn part(6);
    std::ofstream suite(folder / "suite.txt");
    for (const Problem& problem : load_suite("smoke"))
      if (part.holds(problem.text())) suite << problem.text() << '\n';
    suite.close();
    const ShellOutput right = in_folder("attestone run --plugin=./libkernel.so --suite=./suite.txt");
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_TRUE(contains(right.text, "plugin:./libkernel.so: conforms")) << right.text;
  }

  /// The wrong kernel fails, and so does its repro line, word for word, in bash.
  void expect_caught(const std::string& option) const {
    const ShellOutput wrong = in_folder("attestone run " + option + " --property=value_bound 'shape=1x2x9x33x8'");
    EXPECT_EQ(wrong.status, 1) << wrong.text;
    const std::string repro = repro_of(wrong.text);
    ASSERT_TRUE(contains(repro, option)) << wrong.text;
    std::ofstream(folder / "repro.sh") << repro << '\n';
    EXPECT_EQ(in_folder("bash repro.sh").status, 1) << repro;
  }

  const ScratchFolder folder;
};

// slow: builds a kernel and judges suites
TEST_F(Doors, ANewKernelInCppBuildsAndPassesTheSmokeSuite) {
  EXPECT_EQ(shell("attestone init " + folder.string()).status, 0);
  const ShellOutput built = in_folder("make 2>&1");
  ASSERT_EQ(built.status, 0) << built.text;
  expect_conforms();
  expect_caught("--plugin='./libwrong.so'");
}

TEST(DoorGradients, AreJudgedAsOursAre) {
  const std::string problem =
      " 'shape=1x2x9x33x8,2x4/2x17x20x12:5 mask=full,causal layout=bhsd,strided pass=forward+backward'";
  const std::string libraries = "attestone run --plugin=" + program_folder() + "/plugins/";
  const ShellOutput right = shell(libraries + "differentiates.so --verbose" + problem);
  EXPECT_EQ(right.status, 0) << right.text;
  EXPECT_TRUE(contains(right.text, "gradient_bound")) << right.text;
  const ShellOutput wrong = shell(libraries + "halves_query_gradient.so --property=gradient_bound" + problem);
  EXPECT_EQ(wrong.status, 1) << wrong.text;
  EXPECT_TRUE(contains(wrong.text, "dquery")) << wrong.text;
  EXPECT_EQ(shell(repro_of(wrong.text)).status, 1) << repro_of(wrong.text);
}

// slow: builds a kernel and judges suites
TEST_F(Doors, ANewKernelInPythonPasses) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=python").status, 0);
  const ShellOutput right = in_folder(
      "attestone run --program='python3 kernel.py' 'shape=1x2x9x17x8,2x4/2x5x9x8:6,1x1x3x0x4 mask=full,causal'");
  EXPECT_EQ(right.status, 0) << right.text;
  EXPECT_TRUE(contains(right.text, "program:python3 kernel.py: conforms")) << right.text;
  expect_caught("--program='python3 wrong.py'");
}

// slow: builds a kernel and judges suites
TEST_F(Doors, ANewKernelInCudaCompiles) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=cuda").status, 0);
  if (shell("PATH=\"$PATH:/usr/local/cuda/bin\" command -v nvcc >/dev/null").status != 0)
    GTEST_SKIP() << "there is no nvcc";
  const ShellOutput built = in_folder("PATH=\"$PATH:/usr/local/cuda/bin\" make 2>&1");
  ASSERT_EQ(built.status, 0) << built.text;
  // Without a GPU it says so itself; with one it is right.
  const ShellOutput judged = in_folder("attestone run --plugin=./libkernel.so 'shape=1x2x9x17x8 mask=full,causal'");
  EXPECT_TRUE(judged.status == 0 || contains(judged.text, "CUDA: ")) << judged.text;
}

// CI has no GPU, and suites grow: what they ask is asked of this kernel on a processor.
// slow: builds a kernel and judges suites
TEST_F(Doors, ANewKernelInCudaPassesTheSmokeSuiteOnAProcessor) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=cuda").status, 0);
  const std::string launches = R"(s/(\w+)<<<(.*), (.*)>>>\((\w+)\)/launch(\1, \2, \3, \4)/)";
  const ShellOutput built =
      in_folder(fmt::format("sed -Ei '{}' kernel.cu && for name in kernel wrong; do "
                            "c++ -std=c++20 -x c++ -O2 -fPIC -shared -I. -I{}/tests/cuda_on_a_processor $name.cu -o "
                            "lib$name.so || exit; done 2>&1",
                            launches, source_folder()));
  ASSERT_EQ(built.status, 0) << built.text;
  expect_conforms();
  expect_caught("--plugin='./libwrong.so'");
}

TEST_F(Doors, NothingIsOverwritten) {
  EXPECT_EQ(shell("attestone init " + folder.string()).status, 0);
  std::ofstream(folder / "kernel.cpp") << "mine";
  const ShellOutput again = shell("attestone init " + folder.string() + " 2>&1");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(contains(again.text, "exists already")) << again.text;
  EXPECT_EQ(std::filesystem::file_size(folder / "kernel.cpp"), 4u);
}

TEST(DoorMistakes, AreAnsweredWithStatusTwoAndAMessage) {
  const std::string libraries = program_folder() + "/plugins/";
  const std::string source = source_folder() + "/README.md";
  const std::pair<std::string, const char*> mistakes[] = {
      {"--plugin=./nowhere.so", "./nowhere.so: there is no such file"},
      {"--plugin=/", "/: this is a folder, not a file"},
      {"--plugin=" + source, "invalid ELF header"},
      {"--plugin=" + libraries + "no_forward.so", "does not export attestone_forward"},
      {"--plugin=" + libraries + "no_version.so", "attestone_abi_version"},
      {"--plugin=" + libraries + "other_version.so", "version 1000 of the interface, this is 1"},
      {"--plugin=" + libraries + "wrong_limits.so", "dtypes=f32+bf61"},
      {"--plugin=" + libraries + "wrong_conventions.so", "empty_rows=infinite\n             ^^^^^^^^"},
      {"--plugin=" + libraries + "crashes_when_loaded.so", "signal 6"},
      {"--plugin=" + libraries + "unresolved.so", "attestone_of_a_library_that_is_not_there"},
      {"--program=/nowhere/program", "exit status 127"},
      {"--program=cat --timeout=1s", "asked to describe itself"},
      {"--program='echo hello; cat'", "'hello"},
      {"--program=true", "exit status 0"},
      {"--program='sleep 100' --timeout=0.2s", "did not answer within 0.2 s"},
      {"--plugin=" + libraries + "echo.so --timeout=fast", "--timeout=60s"},
      {"--plugin=" + libraries + "echo.so --memory-limit=2", "--memory-limit=512M"},
  };
  for (const auto& [arguments, message] : mistakes) {
    const ShellOutput output = shell("attestone run " + arguments + " 'shape=1x1x4x4x4' 2>&1");
    EXPECT_EQ(output.status, 2) << arguments << "\n" << output.text;
    EXPECT_TRUE(contains(output.text, message)) << arguments << "\n" << output.text;
  }
  EXPECT_EQ(shell("attestone init '" + ScratchFolder().string() + "' --language=cobol 2>&1").status, 2);
}

TEST(KernelHeader, IsC99ByItself) {
  const std::string header = source_folder() + "/backends/plugins/protocol/kernel.h";
  const ShellOutput output =
      shell("c++ -x c -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only '" + header + "' 2>&1");
  EXPECT_EQ(output.status, 0) << output.text;
}

TEST(KernelHeader, HasTensorsLaidOutAsDlpackHasThem) {
  // struct DLTensor of dlpack.h: void*, {int32, int32}, int32, {uint8, uint8, uint16}, int64*, int64*, uint64.
  EXPECT_EQ(sizeof(attestone_tensor), 48u);
  EXPECT_EQ(offsetof(attestone_tensor, device), 8u);
  EXPECT_EQ(offsetof(attestone_tensor, ndim), 16u);
  EXPECT_EQ(offsetof(attestone_tensor, dtype), 20u);
  EXPECT_EQ(offsetof(attestone_tensor, shape), 24u);
  EXPECT_EQ(offsetof(attestone_tensor, strides), 32u);
  EXPECT_EQ(offsetof(attestone_tensor, byte_offset), 40u);
}

/// A program in Python that answers `forward` with the given statement.
std::string program(const Path& folder, const std::string& statement) {
  std::ofstream(folder / "program.py")
      << "import kernel, os, sys, time\noriginal = kernel.forward\ndef forward(texts, tensors):\n  " << statement
      << "\nkernel.forward = forward\nkernel.main()\n";
  return "--program='python3 program.py'";
}

TEST_F(Doors, AWrongShapeIsSaidAsOne) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=python").status, 0);
  const ShellOutput output =
      in_folder("attestone run " +
                program(folder.path(), "return {n: (t[0], t[1][::-1]) for n, t in original(texts, tensors).items()}") +
                " --property=value_bound 'shape=1x1x1x1x2' 2>/dev/null");
  EXPECT_TRUE(contains(output.text, "out has the shape [2, 1, 1, 1] instead of [1, 1, 1, 2]")) << output.text;
}

// slow: builds a kernel and judges suites
TEST_F(Doors, HostileProgramsGetTheirVerdicts) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=python").status, 0);
  const std::pair<const char*, const char*> faults[] = {
      {"print('loading')", "wrong-protocol"},
      {"return {}", "wrong-protocol"},
      {"sys.exit(3)", "exited"},
      {"os.abort()", "crashed"},
      {"time.sleep(100)", "hung"},
      {"kernel.send_message({'error': 'no tile'}, {}); kernel.main()", "error-status"},
      {"sys.stdout.buffer.write(b'\\xff' * 8); sys.stdout.flush(); time.sleep(100)", "wrong-protocol"},
      {"sys.stdout.buffer.write(b'\\x08' + bytes(7) + b'\\xff' * 8); sys.stdout.flush(); time.sleep(100)",
       "wrong-protocol"},
  };
  for (const auto& [statement, reason] : faults) {
    const ShellOutput output = in_folder("attestone run " + program(folder.path(), statement) +
                                         " --timeout=3s --property=value_bound 'shape=1x1x1x1x1' 2>/dev/null");
    EXPECT_EQ(output.status, 1) << statement << "\n" << output.text;
    EXPECT_TRUE(contains(output.text, fmt::format("(attestone explain {})", reason))) << statement << "\n"
                                                                                      << output.text;
  }
}

/// Forty starts would tell when it fails, and nothing else.
TEST_F(Doors, AProgramThatBreaksTheProtocolIsNotAskedAgainAndAgain) {
  EXPECT_EQ(shell("attestone init " + folder.string() + " --language=python").status, 0);
  program(folder.path(), "return {}");
  std::ofstream(folder / "counted.sh") << "echo started >> starts; exec python3 program.py\n";
  const ShellOutput output = in_folder(
      "attestone run --program='sh counted.sh' --property=value_bound 'shape=1x1x4x4x4,1x2x4x8x4' 2>/dev/null");
  EXPECT_TRUE(contains(output.text, "(attestone explain wrong-protocol)")) << output.text;
  const std::string starts = shell(fmt::format("wc -l < {}", (folder / "starts").string())).text;
  EXPECT_LE(std::stoi(starts), 4) << output.text;
  EXPECT_GE(std::stoi(starts), 1);
}

}  // namespace
}  // namespace attestone
