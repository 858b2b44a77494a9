// SPDX-License-Identifier: Apache-2.0
// attestone bench as a user meets it: figures, mistakes, peers that are not there, and what Ctrl-C leaves.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "tests/conformance/reports/json_of.hpp"
#include "tests/contains.hpp"
#include "tests/places.hpp"
#include "tests/program.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

constexpr double seconds = 120;
constexpr const char* small = "shape=1x2x32x32x16";
const std::string fake = "--peers=python3 '" + source_folder() + "/tests/conformance/bench/fake_peer.py'";

class BenchCommandLine : public testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words, double limit = seconds) {
    words.insert(words.begin(), "bench");
    return run_program({{}, words}, folder.path(), limit);
  }
  void refuses(const std::vector<std::string>& words, const std::string& part) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << part << "\n" << result.err;
    EXPECT_EQ(result.out, "") << part;
    EXPECT_TRUE(contains(result.err, part)) << part << "\n" << result.err;
  }
  std::string text_of(const std::string& name) {
    std::ifstream file(folder / name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }

  ScratchFolder folder;
};

TEST_F(BenchCommandLine, PointsAtMistakes) {
  refuses({"--kernel=flsh", small}, "did you mean 'flash'?");
  refuses({"--format=jsn", small}, "--format=jsn\n           ^^^");
  refuses({"--grid=quik"}, "--grid=quik\n         ^^^^\ndid you mean 'quick'?");
  refuses({"--grid=quick", small}, "give a problem or a --grid, not both");
  refuses({"--threads=1,0", small}, "--threads=1,0\n              ^");
  refuses({"--threads=1,1", small}, "given twice");
  refuses({"--threads=two", small}, "'two' is no whole number from 1 to 1024");
  refuses({"--rounds=0", small}, "'0' is no whole number from 1 to 1000");
  refuses({"--steady=0", small}, "write --steady=5");
  refuses({"--rounds=7x", small}, "--rounds=7x\n           ^^");
  refuses({"--budget=60", small}, "write --budget=60s");
  refuses({"--suite=smoke"}, "it belongs to attestone run");
  refuses({"shape=1x1x4x4x4 mask=casual"}, "did you mean 'causal'?");
  refuses({"shape=1x1x0x4x4"}, "takes no time that says anything");
  refuses({"--peer=right", small}, "which program are these peers asked of?");
  refuses({"--peers=false", small}, "the peers do not say who they are");
  refuses({fake, "--peer=rihgt", small}, "did you mean 'right'?");
  refuses({"--report=/dev/null/x", small}, "the report cannot be written");
}

// slow: measures the limits of this machine
TEST_F(BenchCommandLine, TimesKernelsAndPeersInOneRun) {
  const ProgramResult result =
      run({"--kernel=flash,dense", "--threads=1", "--rounds=2", "--steady=200", "--report=made", "--format=json", fake,
           "--peer=right,absent,refuses", std::string(small) + " mask=full,causal"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json json = json_of(result.out);
  EXPECT_EQ(json["schema"], "attestone.bench/1");
  EXPECT_EQ(json["limits"].size(), 1u);
  EXPECT_GT(json["limits"][0]["per_second"]["f32"].get<double>(), 1e8);
  ASSERT_EQ(json["cells"].size(), 2u);
  EXPECT_EQ(json["cells"][0]["flops"].get<double>(), 2 * 4 * 32 * 32 * 16);
  EXPECT_EQ(json["cells"][1]["flops"].get<double>(), 2 * 4 * (32 * 33 / 2) * 16);
  for (const auto& cell : json["cells"]) {
    ASSERT_EQ(cell["entries"].size(), 4u) << "an absent peer has no place there";
    EXPECT_EQ(cell["entries"][3]["skipped"], "does not like f32");
    EXPECT_EQ(cell["rounds_counted"], 2) << "all count";
  }
  EXPECT_EQ(json["peers"][1]["absent"], "no package of that kind");
  EXPECT_EQ(json_of(text_of("made/bench.json"))["cells"].size(), 2u);
  EXPECT_TRUE(contains(text_of("made/bench.txt"), "absent: no package of that kind"));
  pugi::xml_document picture;
  EXPECT_TRUE(picture.load_file((folder / "made/bench.svg").c_str()));
}

// slow: measures the limits of this machine
TEST_F(BenchCommandLine, SaysWhatDidNotRunOrMisbehaved) {
  EXPECT_EQ(run({"--threads=1", "--rounds=1", "shape=1x1x4x4x4 dtype=f64"}).status, 5);
  const ProgramResult died = run({"--threads=1", "--rounds=1", "--steady=200", fake, "--peer=dies", small});
  EXPECT_EQ(died.status, 1) << died.err;
  EXPECT_TRUE(contains(died.out, "FAILED: its process ended: of a broken heart")) << died.out;
}

// slow: measures the limits of this machine
TEST_F(BenchCommandLine, ShowsTheLimitsAlone) {
  const ProgramResult result = run({"--limits", "--threads=1"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* limit : {"\nf32 ", "\nf64 ", "\nbf16 ", "\nbf16_tile ", "\nint8 ", "\nread ", "\ncopy ", "\nexp "})
    EXPECT_TRUE(contains(result.out, limit)) << limit << "\n" << result.out;
  EXPECT_FALSE(contains(result.out, "shape=")) << result.out;
}

// slow: times kernels
TEST_F(BenchCommandLine, LeavesAPartialReportWhenItIsInterrupted) {
  // The first cells take moments, the rest more than anybody waits.
  const ProgramResult result = run({"--kernel=dense", "--threads=1", "--rounds=1", "--report=made",
                                    "shape=1x1x4x4x4,1x8x4096x4096x128 mask=full,causal"},
                                   10);
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(result.status, 6) << result.err;
  EXPECT_TRUE(contains(result.out, "incomplete (interrupted)")) << result.out;
  EXPECT_EQ(json_of(text_of("made/bench.json"))["cut_short"], "interrupted");
  const ProgramResult over_budget = run({"--threads=1", "--budget=0.3s", "--rounds=1000", small});
  EXPECT_EQ(over_budget.status, 6) << over_budget.err;
  EXPECT_TRUE(contains(over_budget.out, "incomplete (over budget)")) << over_budget.out;
}

// slow: times kernels
TEST_F(BenchCommandLine, TimesAKernelOfAnotherProcess) {
  const ProgramResult result = run({"--threads=1", "--rounds=1", "--steady=200", "--format=json",
                                    "--plugin=" + program_folder() + "/plugins/differentiates.so", small});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json entry = json_of(result.out)["cells"][0]["entries"][0];
  EXPECT_EQ(entry["peak_memory"]["of"], "process") << entry.dump();
  EXPECT_GT(entry["peak_memory"]["bytes"].get<double>(), 1 << 18);
}

// slow: times kernels
TEST_F(BenchCommandLine, FindsThatAKernelComputesNothing) {
  const ProgramResult result = run({"--threads=1", "--rounds=5", "--steady=200", "--format=json", "--kernel=dense",
                                    "--plugin=" + program_folder() + "/plugins/answers_twice.so", small});
  EXPECT_EQ(result.status, 1) << result.out;
  const nlohmann::json entries = json_of(result.out)["cells"][0]["entries"];
  EXPECT_FALSE(entries[0].contains("failed")) << entries.dump();
  EXPECT_TRUE(contains(entries[1]["failed"].get<std::string>(), "answered wrongly while it was timed"))
      << entries.dump();
}

}  // namespace
}  // namespace attestone
