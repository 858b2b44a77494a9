// SPDX-License-Identifier: Apache-2.0
// Words become a request once: everything is read, each thing keeps its text, and a mistake is said before any work.
#include "conformance/program/request/run_request.hpp"

#include <gtest/gtest.h>

#include "conformance/program/commands/loaded_kernels.hpp"
#include "conformance/program/request/bench_request.hpp"
#include "tests/conformance/program/command_line.hpp"

namespace attestone {
namespace {

RunWords words_of(std::vector<std::string> kernels, std::vector<std::string> problem) {
  RunWords words;
  words.kernels = std::move(kernels), words.problem = std::move(problem);
  return words;
}

TEST(RunRequest, HoldsWhatTheWordsMean) {
  RunWords words = words_of({"flash:block_q=32,dense", "lost_tail"}, {"shape=1x1x4x4x4", "dtype=f32,bf16"});
  words.dtypes = {"bf16"}, words.seed = "7", words.budget = "5m", words.timeout = "2s", words.memory_limit = "2G";
  words.properties = {"value_bound,guards"}, words.required = {"causal"}, words.declared = "exp_error=1e-6 lse=log2";
  words.no_shrink = true, words.format = "json";
  const RunRequest request = read_run_request(words);
  ASSERT_EQ(request.kernels.named.size(), 3u);
  EXPECT_EQ(request.kernels.named[0].kernel->name(), "flash:block_q=32");
  EXPECT_EQ(request.kernels.limits.limits.seconds, 2);
  EXPECT_EQ(request.kernels.limits.limits.resident_bytes, index{2} << 30);
  EXPECT_EQ(request.kernels.limits.text(), " --timeout=2s --memory-limit=2G");
  EXPECT_EQ(request.kernels.declared->text, words.declared);
  EXPECT_FALSE(request.kernels.mesh);
  ASSERT_EQ(request.problems.problems.size(), 1u);
  EXPECT_EQ(request.problems.problems[0].text(), "shape=1x1x4x4x4 dtype=bf16 seed=7");
  EXPECT_EQ(request.problems.text, "--dtype=bf16 --seed=7 'shape=1x1x4x4x4 dtype=f32,bf16'");
  EXPECT_EQ(request.problems.title, "shape=1x1x4x4x4 dtype=f32,bf16");
  EXPECT_FALSE(request.problems.of_a_suite);
  EXPECT_EQ(request.budget_seconds, 300);
  ASSERT_EQ(request.properties.size(), 2u);
  EXPECT_EQ(request.properties[1]->name, "guards");
  EXPECT_EQ(request.required, std::vector<std::string>{"causal"});
  EXPECT_FALSE(request.shrink);
  EXPECT_EQ(request.format->name, "json");
}

// slow: searches designs of many axes
TEST(RunRequest, IsForTheSuiteSmokeWithoutAProblem) {
  const ProblemRequest smoke = read_run_request(words_of({"flash"}, {})).problems;
  EXPECT_TRUE(smoke.of_a_suite);
  EXPECT_EQ(smoke.text, "--suite=smoke");
  EXPECT_EQ(smoke.title, "suite smoke");
}

// slow: searches designs of many axes
TEST(RunRequest, KnowsTheDesignsOfASuite) {
  const ScratchFolder scratch;
  const std::string suite = (scratch / "suite").string();
  std::ofstream(suite) << "shape=1x1x4x4x4\ndesign=pairs seed=1\n";
  RunWords words = words_of({"flash"}, {});
  words.suite = suite, words.dtypes = {"bf16"};
  const ProblemRequest request = read_problem_request(words);
  ASSERT_EQ(request.designs.size(), 1u);
  EXPECT_EQ(request.text, "--suite=" + suite + " --dtype=bf16");
  for (const Problem& problem : request.problems) EXPECT_EQ(problem.input, dtype("bf16"));
}

TEST(RunRequest, PutsMethodsOnTheirMeshes) {
  RunWords words = words_of({"ring:hops=all"}, {"shape=1x1x4x4x4"});
  words.mesh = "ring:2,ring:3", words.local = "dense", words.faults = "drop", words.world_seed = "7";
  const RunRequest request = read_run_request(words);
  ASSERT_TRUE(request.kernels.mesh);
  ASSERT_EQ(request.kernels.mesh->methods.size(), 2u);
  EXPECT_EQ(request.kernels.mesh->events.seed, 7u);
  const std::vector<Candidate> candidates = load_kernels(request.kernels);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[1].option.text(),
            "--kernel='ring:hops=all' --mesh=ring:3 --faults=drop --world-seed=7 --local='dense'");
}

/// A path may hold what looks like an option.
TEST(RunRequest, AsksForTheSameKernelOnOtherDevices) {
  const KernelOption meshed("--kernel='ring'", "ring:3", " --faults=drop"), alone("--plugin='./--mesh=x.so'");
  EXPECT_EQ(meshed.on("ring:2").text(), "--kernel='ring' --mesh=ring:2 --faults=drop");
  EXPECT_EQ(meshed.on("").text(), meshed.text());
  EXPECT_EQ(alone.on("ring:2").text(), "--plugin='./--mesh=x.so'");
}

TEST(BenchRequest, HoldsWhatTheWordsMean) {
  BenchWords words;
  words.problem = {"shape=1x1x4x4x4"}, words.threads = {"1,2"}, words.rounds = "3", words.steady = "10";
  words.timeout = "5s", words.budget = "1h";
  const BenchRequest request = read_bench_request(words);
  ASSERT_EQ(request.kernels.named.size(), 1u);
  EXPECT_EQ(request.kernels.named[0].kernel->name(), "flash");
  EXPECT_EQ(request.threads, (std::vector{1, 2}));
  EXPECT_EQ(request.rounds.rounds, 3);
  EXPECT_EQ(request.rounds.largest_move, 0.1);
  EXPECT_EQ(request.kernels.limits.limits.seconds, 5);
  EXPECT_EQ(request.budget_seconds, 3600);
}

/// Neither the folder of the report is made nor the program started.
TEST_F(CommandLine, SaysAMistakeBeforeAnyWork) {
  const std::string report = "--report=made", program = "--program=touch started; cat";
  const auto refuses_early = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.end(), {report, program});
    refuses(words, part);
    for (const char* trace : {"made", "started"})
      EXPECT_FALSE(std::filesystem::exists(folder / trace)) << trace << " " << part;
  };
  refuses_early({"run", small, "--budget=60"}, "write --budget=60s, 5m or 1h");
  refuses_early({"run", small, "--timeout=60"}, "  --timeout=60\n            ^^");
  refuses_early({"run", small, "--memory-limit=2"}, "  --memory-limit=2\n                 ^");
  refuses_early({"run", small, "--declare=wieght_roundoff=1"}, "did you mean 'weight_roundoff'?");
  refuses_early({"run", small, "--declare=empty_rows=nam"}, "did you mean 'nan'?");
  refuses_early({"run", small, "--kernel=flsh"}, "did you mean 'flash'?");
  refuses_early({"run", small, "--kernel=ring", "--mesh=rng:2"}, "  --mesh=rng:2\n         ^^^");
  refuses_early({"run", small, "--kernel=ring", "--faults=drpo"}, "did you mean 'drop'?");
  refuses_early({"run", small, "--kernel=ring", "--mesh=ring:2", "--faults=dead_rank:7"}, "dead_rank");
  refuses_early({"run", small, "--kernel=ring", "--world=mip"}, "'mip' is not a world");
  refuses_early({"run", small, "--kernel=ring", "--world-seed=x"}, "expected the seed");
  refuses_early({"run", small, "--kernel=ring", "--local=flash"}, "either an outside kernel runs on each device");
  refuses_early({"run", small, "--local=flash"}, "has a meaning on a mesh only");
  refuses_early({"bench", small, "--timeout=60"}, "  --timeout=60\n            ^^");
  refuses_early({"bench", small, "--kernel=flsh"}, "did you mean 'flash'?");
  refuses_early({"bench", small, "--peer=torch"}, "which program are these peers asked of?");
  refuses_early({"bench", small, "--budget=60"}, "write --budget=60s, 5m or 1h");
}

}  // namespace
}  // namespace attestone
