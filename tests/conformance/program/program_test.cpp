// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: exit statuses, messages, repro lines that fail again, reports that do not vary.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <string>

#include "tests/conformance/reports/json_of.hpp"
#include "tests/contains.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

nlohmann::json report_without_times(const std::string& environment, const std::string& arguments) {
  const ShellOutput output = shell(fmt::format("{} attestone run {} --format=json", environment, arguments));
  nlohmann::json report = json_of(output.text);
  for (auto& run : report["runs"]) run.erase("time");
  return report;
}

TEST(Program, PassesARightKernel) {
  const ShellOutput output = shell("attestone run --kernel=flash 'shape=1x2x33x40x16 mask=causal'");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_TRUE(contains(output.text, "flash: conforms")) << output.text;
}

TEST(Program, FailsAWrongKernelWithAReproThatFailsAgain) {
  const ShellOutput output =
      shell("attestone run --kernel=lost_tail --property=value_bound 'shape=1x2x33x40x16 mask=causal'");
  EXPECT_EQ(output.status, 1) << output.text;
  const std::string marker = "repro     ";
  const std::size_t begin = output.text.find(marker);
  ASSERT_NE(begin, std::string::npos) << output.text;
  const std::string repro =
      output.text.substr(begin + marker.size(), output.text.find('\n', begin) - begin - marker.size());
  EXPECT_EQ(repro, "attestone run --kernel='lost_tail' --property=value_bound 'shape=1x1x1x17x1'");
  EXPECT_EQ(shell(repro).status, 1);
}

TEST(Program, PointsAtAMalformedProblem) {
  const ShellOutput output = shell("attestone run --kernel=flash 'shape=1x2x33x40x16 mask=casual' 2>&1");
  EXPECT_EQ(output.status, 2);
  EXPECT_TRUE(contains(output.text, "                          ^^^^^^")) << output.text;
  EXPECT_TRUE(contains(output.text, "did you mean 'causal'?")) << output.text;
}

TEST(Program, AnswersMistakesWithStatusTwoAndAHint) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"attestone rnu", "did you mean 'run'?"},
      {"attestone run --kernel=flsh", "did you mean 'flash'?"},
      {"attestone run --kernel=flash:block=3", "did you mean 'block_q'?"},
      {"attestone run --kernel=flash --suite=smkoe", "did you mean 'smoke'?"},
      {"attestone run --kernel=flash --property=value_bond", "did you mean 'value_bound'?"},
      {"attestone run --kernel=flash --siute=smoke", "did you mean '--suite'?"},
      {"attestone run --kernel=flash --require=casual", "did you mean 'causal'?"},
      {"attestone run --kernel=flash --format=jsn", "did you mean 'json'?"},
      {"attestone run --kernel=flash --budget=60", "--budget=60s"},
      {"attestone run", "--kernel=NAME"},
      {"attestone run --kernel=flash 'shape=1x1x4x4x4 fill=nromal'", "did you mean 'normal'?"},
      {"attestone run --kernel=flash 'shape=1x1x4x4x4 fill=capture:none:a:b'", "none"},
      {"attestone explain valu_bound", "did you mean 'value_bound'?"},
      {"attestone list mask", "did you mean 'masks'?"},
  };
  for (const auto& [command, hint] : mistakes) {
    const ShellOutput output = shell(std::string(command) + " 2>&1");
    EXPECT_EQ(output.status, 2) << command << "\n" << output.text;
    EXPECT_TRUE(contains(output.text, hint)) << command << "\n" << output.text;
  }
}

TEST(Program, SaysWhenNothingRan) {
  EXPECT_EQ(shell("attestone run --kernel=flash 'shape=1x1x4x4x4 dtype=f64'").status, 5);
  EXPECT_EQ(shell("attestone run --kernel=flash --require=causal 'shape=1x1x4x4x4 mask=causal dtype=f64'").status, 1);
}

// slow: reads all of the suite ci
TEST(Program, StopsAtItsBudget) {
  const ShellOutput output = shell("attestone run --kernel=flash --suite=ci --budget=0.2s");
  EXPECT_TRUE(contains(output.text, "incomplete")) << output.text;
}

TEST(Program, StopsAtTheFirstFailureIfAsked) {
  const std::string run = "attestone run --kernel=lost_tail --property=value_bound 'shape=1x1x4x17x8 mask=full,causal'";
  EXPECT_FALSE(contains(shell(run).text, "incomplete"));
  const ShellOutput stopped = shell(run + " --fail-fast");
  EXPECT_EQ(stopped.status, 1);
  EXPECT_TRUE(contains(stopped.text, "incomplete")) << stopped.text;
}

TEST(Program, ShowsFailuresAtATerminalAsTheyHappen) {
  const std::string run = "attestone run --kernel=lost_tail --property=value_bound shape=1x1x2x17x3";
  const ShellOutput at_terminal = shell("script -qec '" + run + " >/dev/null' /dev/null </dev/null");
  EXPECT_NE(at_terminal.text.find("[1/1] 0 passed, 0 failed: attestone run"), std::string::npos) << at_terminal.text;
  EXPECT_NE(at_terminal.text.find("FAILED value_bound, wrong-number: expected"), std::string::npos) << at_terminal.text;
  EXPECT_NE(at_terminal.text.find("  in shape=1x1x2x17x3"), std::string::npos) << at_terminal.text;
  EXPECT_EQ(shell(run + " 2>&1 >/dev/null").text, "") << "nobody watches a pipe";
}

// slow: judges a suite
TEST(Program, ReportsTheSameWithOneAndTwoThreads) {
  const std::string arguments =
      "--kernel=flash,dense,missing_rescale 'shape=2x4/2x17x33x16 mask=full,causal dtype=f32,bf16 "
      "fill=normal,monotone'";
  EXPECT_EQ(report_without_times("OMP_NUM_THREADS=1", arguments), report_without_times("OMP_NUM_THREADS=2", arguments));
}

// slow: judges a suite
TEST(Program, DemonstratesARightAndAWrongKernel) {
  const ShellOutput output = shell("attestone demo");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_TRUE(contains(output.text, "flash conforms")) << output.text;
  EXPECT_TRUE(contains(output.text, "lost_tail does not conform")) << output.text;
  EXPECT_TRUE(contains(output.text, "matches 'the last 6 of 38 keys never read'")) << output.text;
  EXPECT_FALSE(contains(output.text, "bf16-P")) << "the kernel loses a tail; it rounds nothing\n" << output.text;
  std::istringstream lines(output.text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 120u) << line;
  EXPECT_LE(count, 40) << "does not fit one screen\n" << output.text;
}

// slow: starts the program twenty times
TEST(Program, ListsAndExplainsEveryWord) {
  const ShellOutput kinds = shell("attestone list");
  EXPECT_EQ(kinds.status, 0);
  for (const char* kind :
       {"kernels", "masks", "scores", "dtypes", "fills", "layouts", "properties", "suites", "mutants", "reasons"}) {
    EXPECT_TRUE(contains(kinds.text, kind)) << kind;
    EXPECT_EQ(shell(std::string("attestone list ") + kind).status, 0) << kind;
  }
  for (const char* id :
       {"value_bound", "causal", "softcap", "bf16", "lost_tail", "wrong-number", "smoke", "shape", "gqa"})
    EXPECT_EQ(shell(std::string("attestone explain ") + id).status, 0) << id;
}

TEST(Program, HelpsWithExamples) {
  for (const char* command : {"attestone", "attestone --help", "attestone run --help"}) {
    const ShellOutput output = shell(command);
    EXPECT_EQ(output.status, 0);
    EXPECT_TRUE(contains(output.text, "Example")) << command;
  }
}

/// attestone at both ends of the pipe: the same kernels, the same verdicts.
TEST(Program, AnswersForItsKernels) {
  const std::string right = "attestone run --program='attestone answer flash' 'shape=1x4/2x33x40x16 mask=causal pass=";
  const ShellOutput output = shell(right + "forward+backward'");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_TRUE(contains(output.text, "conforms")) << output.text;
  EXPECT_TRUE(contains(output.text, "its process holds attestone's own library")) << output.text;
  const std::string wrong = "attestone run --program='attestone answer lost_tail' 'shape=1x2x33x40x16 mask=causal'";
  EXPECT_EQ(shell(wrong).status, 1);
  const std::string coded = "attestone run --program='attestone answer sage3_fp4' 'shape=1x2x33x40x64 dtype=f16'";
  EXPECT_EQ(shell(coded).status, 0) << shell(coded).text;
}

// slow: judges for seconds
TEST(Program, SharesItsBudgetAndKeepsAPartForNames) {
  const ShellOutput output = shell(
      "attestone run --kernel=lost_tail,causal_top_left,flash --suite=smoke --budget=15s --format=json 2>/dev/null");
  EXPECT_EQ(output.status, 1);
  const auto report = nlohmann::json::parse(output.text);
  ASSERT_EQ(report.at("runs").size(), 3u);
  for (const auto& run : report.at("runs")) {
    EXPECT_GT(run.at("cases").size(), 10u) << run.at("kernel");
    EXPECT_EQ(run.at("cut_short"), "over budget") << run.at("kernel");
    if (run.at("kernel") == "flash") continue;
    ASSERT_FALSE(run.at("failures").empty()) << run.at("kernel");
    const auto& failure = run.at("failures").at(0);
    EXPECT_LT(failure.at("least_problem").get<std::string>().size(), 60u) << failure.at("least_problem");
    EXPECT_EQ(failure.at("again").at("failed"), 1) << run.at("kernel");
    EXPECT_FALSE(run.at("findings").empty() && run.at("read_out").empty()) << run.at("kernel");
  }
}

TEST(Program, AnswersMessagesAlone) {
  for (const char* line : {"printf 'nothing like it' | attestone answer flash 2>&1",
                           "printf '\\011\\0\\0\\0\\0\\0\\0\\0x' | attestone answer flash 2>&1"}) {
    const ShellOutput output = shell(line);
    EXPECT_EQ(output.status, 2) << output.text;
    EXPECT_TRUE(contains(output.text, "standard input")) << output.text;
  }
  EXPECT_EQ(shell("attestone answer flash </dev/null").status, 0);
  EXPECT_TRUE(contains(shell("attestone answer flsh 2>&1").text, "did you mean 'flash'?"));
}

// slow: measures this machine
TEST(Program, DescribesThisMachine) {
  const ShellOutput output = shell("attestone doctor");
  EXPECT_EQ(output.status, 0);
  for (const char* measure :
       {"memory of attestone closed", "own processes", "few privileges", "system calls filtered", "guard pages kept",
        "settings of the system closed", "return seen from outside", "descriptors closed"}) {
    const std::regex line("\n  " + std::string(measure) + R"( +(yes|no \(\S.*\): \S.*)\n)");
    EXPECT_TRUE(std::regex_search(output.text, line)) << measure << '\n' << output.text;
  }
}

}  // namespace
}  // namespace attestone
