// SPDX-License-Identifier: Apache-2.0
// Shrinking keeps the reason, stops when it is to stop, and starts an outside program once and not for every step.
#include <fstream>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

RunOptions value_bound_of(const std::string& problem) {
  return {.problems = {parse_problem(problem)}, .properties = {Registry<Property>::find("value_bound")}};
}

/// The mutant of that name, which calls `at_call` whenever it is called.
template <class AtCall>
SharedKernel lost_tail(AtCall at_call) {
  const auto forward = [at_call](const Kernel& wrong, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
    wrong.forward(problem, arguments, device);
    at_call();
  };
  return changed(Registry<Mutant>::find("lost_tail")->kernel(), {.forward = forward});
}

TEST(Shrinking, KeepsTheReason) {
  const auto forward = [](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
    if (problem.shape.queries < 5) throw std::runtime_error("an unrelated crash");
    flash.forward(problem, arguments, device);
    if (problem.shape.keys > 7) arguments.log_sum_exp.set(0, 0, 0, 0, arguments.log_sum_exp.value(0, 0, 0, 0) + 1);
  };
  const KernelRun run =
      examine(changed(make_kernel("flash"), {.forward = forward}), value_bound_of("shape=1x2x33x40x16"));
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.reason, "wrong-log-sum-exp");
  EXPECT_EQ(run.failures[0].least.text(), "shape=1x1x5x8x1");
}

TEST(Shrinking, CanBeLeftOut) {
  RunOptions options = value_bound_of("shape=1x2x3x33x4");
  options.shrink = false;
  const KernelRun run = examine(Registry<Mutant>::find("lost_tail")->kernel(), options);
  EXPECT_EQ(run.failures.at(0).least, options.problems[0]);
  EXPECT_FALSE(run.findings.empty()) << "it is diagnosed all the same";
}

TEST(Shrinking, StopsWhenTheRunIsToStop) {
  index calls = 0, calls_when_told = 0;
  const SharedKernel kernel = lost_tail([&] { ++calls; });
  RunOptions options = value_bound_of("shape=4x4x33x33x16");
  bool stop = false;
  options.first_failure = [&](const Failure&) { stop = true, calls_when_told = calls; };
  options.interrupted = [&] { return stop; };
  const KernelRun run = examine(kernel, options);
  EXPECT_EQ(calls, calls_when_told) << "neither shrunk nor diagnosed";
  EXPECT_EQ(run.cut_short, CutShort::interrupted);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.failures.size(), 1u);
}

TEST(Shrinking, IsBoundedByTheBudget) {
  index steps = 0;
  const SharedKernel kernel = lost_tail([&] {
    if (++steps > 3) usleep(100'000);
  });
  RunOptions options = value_bound_of("shape=4x4x33x33x16");
  options.budget_seconds = 1;
  const KernelRun run = examine(kernel, options);
  EXPECT_EQ(run.cut_short, CutShort::budget);
  EXPECT_LT(steps, 14);
  EXPECT_NE(run.failures.at(0).least, options.problems[0]) << "what was found until then stands";
}

/// A program with a slow start, which notes each start in a file and forgets to scale the scores; `fault` is further
/// Python that changes what it answers.
class ProgramWithSlowStart {
 public:
  explicit ProgramWithSlowStart(const std::string& fault) {
    std::ofstream(folder_ / "wrong.py") << "import sys, time\n"
                                           "sys.path.insert(0, '"
                                        << source_folder()
                                        << "/examples/python')\n"
                                           "time.sleep(1)\n"
                                           "open('"
                                        << starts_file() << "', 'a').write('.')\n"
                                        << "import kernel\nright, calls = kernel.forward, 0\n"
                                        << "def forward(texts, tensors):\n  global calls\n  calls += 1\n"
                                        << fault << "kernel.forward = forward\nkernel.main()\n";
  }
  ShellOutput judged(const std::string& arguments) const {
    return shell("attestone run --program='python3 " + (folder_ / "wrong.py").string() + "' " + arguments);
  }
  std::size_t starts() const {
    std::error_code none;
    return std::filesystem::file_size(starts_file(), none);
  }

 private:
  std::string starts_file() const { return (folder_ / "starts").string(); }
  const ScratchFolder folder_;
};

TEST(Shrinking, StartsAProgramAgainOnlyToConfirm) {
  const ProgramWithSlowStart program("  return right({**texts, 'scale': '1'}, tensors)\n");
  const ShellOutput run = program.judged("--property=value_bound,gain,keys_twice 'shape=2x2x5x9x8 mask=causal'");
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("repro     attestone run"), std::string::npos) << run.text;
  // Once more to ask whether a first call fails alike, and for each of the two lines of the report.
  EXPECT_EQ(program.starts(), 5u) << run.text;
}

// A repro line finds the program afresh: what fails only later is not shrunk to what would pass there.
TEST(Shrinking, OfWhatDependsOnHistoryStartsAfresh) {
  const ProgramWithSlowStart program(
      "  return right({**texts, 'scale': '1' if calls > 1 else texts['scale']}, tensors)\n");
  const ShellOutput run = program.judged("--property=value_bound 'shape=1x1x2x3x2,1x1x3x4x2'");
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("'shape=1x1x3x4x2'"), std::string::npos) << "the first that failed stands\n" << run.text;
}

}  // namespace
}  // namespace attestone
