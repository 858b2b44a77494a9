// SPDX-License-Identifier: Apache-2.0
// Problems that are judged side by side: the run is that of one thread, whichever of them is done first.
#include <atomic>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>
#include <omp.h>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/kernel_fault.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/reports/wording.hpp"
#include "conformance/trial/threads.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/reports/json_of.hpp"

namespace attestone {
namespace {

const Property& value_bound() { return *Registry<Property>::find("value_bound"); }

/// 64 problems, some without keys: enough for relations to take turns.
std::vector<Problem> problems() {
  return parse_problems(
      "shape=1x2x9x12x8,1x1x5x20x4,2x2/1x7x7x8,1x1x8x0x8 mask=full,causal score=softcap:5,sink:head dtype=f32,bf16 "
      "pass=forward,forward+backward");
}

SharedKernel with_forward(const KernelChanges::Forward& forward) {
  return changed(make_kernel("flash"), {.forward = forward});
}

/// Everything of a report but its times.
nlohmann::json told(const SharedKernel& kernel, RunOptions options, int threads) {
  options.threads = threads;
  std::ostringstream text;
  Registry<ReportFormat>::find("json")->write({"0", "none", "a test", {examine(kernel, options)}}, {}, text);
  nlohmann::json json = json_of(text.str());
  for (nlohmann::json& run : json.at("runs")) run.erase("time");
  return json;
}

void expect_same(const SharedKernel& kernel, const RunOptions& options) {
  const nlohmann::json alone = told(kernel, options, 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(told(kernel, options, threads), alone) << threads << " threads";
}

TEST(SideBySide, TheRunIsThatOfOneThread) { expect_same(make_kernel("flash"), {.problems = problems()}); }

TEST(SideBySide, WhateverIsDoneFirst) {
  const SharedKernel slow_with_the_first =
      with_forward([](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        if (problem.shape.keys == 12) usleep(2000);
        flash.forward(problem, arguments, device);
      });
  expect_same(slow_with_the_first, {.problems = problems(), .properties = {&value_bound()}});
}

TEST(SideBySide, FailuresAreToldInOrderAndShrunk) {
  expect_same(Registry<Mutant>::find("lost_tail")->kernel(), {.problems = problems()});
  expect_same(Registry<Mutant>::find("lost_tail")->kernel(), {.problems = problems(), .fail_fast = true});
}

/// The questions about the problems that follow depend on how many were asked about the one that was refused.
TEST(SideBySide, RefusalsInCallsChangeWhoseTurnItIs) {
  const SharedKernel choosy =
      with_forward([](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        if (problem.shape.keys == 20 && !problem.mask.is_full()) throw KernelRefusal("not these");
        flash.forward(problem, arguments, device);
      });
  expect_same(choosy, {.problems = problems()});
}

TEST(SideBySide, OurOwnFailureLeavesWhatCameBeforeIt) {
  const SharedKernel out_of_memory =
      with_forward([](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        if (problem.shape.batch == 2) throw std::bad_alloc();
        flash.forward(problem, arguments, device);
      });
  expect_same(out_of_memory, {.problems = problems(), .properties = {&value_bound()}});
}

TEST(SideBySide, StopsBetweenCasesAndSaysWhatIsLeftOut) {
  std::atomic<int> calls = 0;
  const SharedKernel kernel =
      with_forward([&](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        ++calls;
        flash.forward(problem, arguments, device);
      });
  RunOptions options{.problems = problems(), .properties = {&value_bound()}, .interrupted = [&] { return calls >= 5; }};
  const KernelRun alone = examine(kernel, options);
  EXPECT_EQ(alone.cut_short, CutShort::interrupted);
  EXPECT_EQ(alone.problems, 64);
  EXPECT_EQ(alone.left_out, 59);
  EXPECT_EQ(incomplete_text(alone),
            "incomplete: interrupted, 59 of 64 problems left out; nothing was asked about causal, empty_rows, gqa, "
            "mask=causal, "
            "odd_dim");
  calls = 0, options.threads = 2;
  const KernelRun run = examine(kernel, options);
  EXPECT_EQ(run.cut_short, CutShort::interrupted);
  EXPECT_LE(calls, 6) << "one more of the other thread";
  EXPECT_LE(run.cases.size(), 6u);
  EXPECT_GE(run.left_out, 58);
}

/// From its second call for the first problem on the kernel waits until somebody is told of its first failure.
TEST(SideBySide, ACaseIsEnteredBeforeItsProblemIsDone) {
  std::atomic<bool> told = false;
  int calls = 0;
  bool in_time = false;
  const SharedKernel wrong = with_forward([&](const Kernel&, const Problem& problem, const Arguments&, Device&) {
    if (problem.shape.keys != 5 || ++calls == 1) return;
    for (int wait = 0; !told && wait < 10000; ++wait) usleep(1000);
    in_time = told;
  });
  examine(wrong, {.problems = parse_problems("shape=1x1x4x5x4,1x1x4x6x4"),
                  .properties = {&value_bound(), Registry<Property>::find("guards")},
                  .threads = 2,
                  .explain = false,
                  .first_failure = [&](const Failure&) { told = true; }});
  EXPECT_TRUE(in_time);
}

/// A team waits for one another: that two problems meet in a call shows that they are judged at the same time.
TEST(SideBySide, ProblemsAreJudgedAtTheSameTimeByOneThreadEach) {
  std::mutex mutex;
  std::set<std::thread::id> callers;
  std::set<int> teams;
  const SharedKernel kernel =
      with_forward([&](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        for (int wait = 0; wait < 1000; ++wait) {
          {
            const std::lock_guard lock(mutex);
            callers.insert(std::this_thread::get_id());
            teams.insert(omp_get_max_threads());
            if (callers.size() == 2) break;
          }
          usleep(1000);
        }
        flash.forward(problem, arguments, device);
      });
  examine(kernel, {.problems = problems(), .properties = {&value_bound()}, .threads = 2});
  EXPECT_EQ(callers.size(), 2u);
  EXPECT_EQ(teams, std::set<int>{1});
}

/// The property of repeats calls a kernel with several threads even where cases run side by side.
TEST(SideBySide, RepeatsTryAllThreads) {
  std::mutex mutex;
  std::set<int> teams;
  const SharedKernel kernel =
      with_forward([&](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        {
          const std::lock_guard lock(mutex);
          teams.insert(omp_get_max_threads());
        }
        flash.forward(problem, arguments, device);
      });
  examine(kernel, {.problems = problems(), .properties = {Registry<Property>::find("repeats_bitwise")}, .threads = 5});
  EXPECT_EQ(teams, (std::set<int>{1, 2, 5}));
}

TEST(SideBySide, ALongProblemHasAllThreads) {
  int team = 0;  // nothing else is called meanwhile
  const SharedKernel kernel =
      with_forward([&](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
        if (problem.shape.keys == 4096) team = omp_get_max_threads();
        if (problem.shape.keys != 4096) flash.forward(problem, arguments, device);
      });
  const KernelRun run = examine(kernel, {.problems = parse_problems("shape=1x1x4x4x4,1x1x1024x4096x128,1x1x4x5x4"),
                                         .properties = {Registry<Property>::find("guards")},
                                         .threads = 3,
                                         .explain = false});
  EXPECT_EQ(team, 3);
  EXPECT_EQ(run.cases.size(), 3u);
}

}  // namespace
}  // namespace attestone
