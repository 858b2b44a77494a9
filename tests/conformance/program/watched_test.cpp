// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the budget: heard within two seconds whatever is running, never a success, and a valid report is left.
// slow: waits for what hangs
#include "conformance/program/watched.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "backends/catalogue.hpp"
#include "conformance/reports/report.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Json = nlohmann::json;

constexpr double soon_s = 2, long_s = 120;
// Half a minute of certified arithmetic on one thread, which nothing interrupts.
const std::string long_truth = "--kernel=flash --property=value_bound 'shape=2x16x2048x2048x128'";

/// An attestone that runs beside the test, and its reports in a folder.
class Running {
 public:
  explicit Running(const std::string& arguments) : arguments_(arguments) {
    const std::string line = fmt::format(
        "PATH='{}':\"$PATH\"; export OMP_NUM_THREADS=1 {}; exec attestone run {} --format=json --report='{}' >'{}' "
        "2>&1",
        program_folder(), mark(), arguments, (folder_ / "report").string(), (folder_ / "out").string());
    const char* words[] = {"sh", "-c", line.c_str(), nullptr};
    EXPECT_EQ(posix_spawn(&id_, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(words), environ), 0);
  }
  ~Running() {
    if (id_ > 0) kill(id_, SIGKILL), waitpid(id_, nullptr, 0);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const ScratchFolder& folder() const { return folder_; }
  void signal(int number) const { kill(id_, number); }

  /// How it ended, as of waitpid, and after how many seconds; -1 if it did not.
  std::pair<int, double> ended(double patience_s) {
    const Clock::time_point begin = Clock::now();
    int status = -1;
    while (Seconds(Clock::now() - begin).count() < patience_s) {
      if (waitpid(id_, &status, WNOHANG) == id_) {
        id_ = 0;
        return {status, Seconds(Clock::now() - begin).count()};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {-1, patience_s};
  }

  /// Expects the program to end soon with status 6, a report in every format and nothing left behind; returns the
  /// report.
  Json expect_cut_short(double patience_s = soon_s) {
    const auto [status, seconds] = ended(long_s);
    EXPECT_LT(seconds, patience_s) << arguments_;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 6) << arguments_ << ": " << status << '\n' << text("out");
    for (const char* format : {"txt", "json", "xml", "md"})
      EXPECT_FALSE(text(fmt::format("report/report.{}", format)).empty()) << format;
    EXPECT_NE(text("report/report.xml").find("</testsuites>"), std::string::npos);
    EXPECT_TRUE(left_behind().empty()) << left_behind();
    const Json report = json_of(text("report/report.json"));
    EXPECT_FALSE(report.is_discarded()) << text("report/report.json");
    EXPECT_EQ(report.value("conforms", true), false);
    return report;
  }

 private:
  std::string mark() const { return "ATTESTONE_WATCHED_TEST=" + folder_.path().filename().string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// A process that carries the mark in its environment.
  std::string left_behind() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "environ", std::ios::binary);
      const std::string environment{std::istreambuf_iterator<char>(file), {}};
      if (environment.find(mark()) != std::string::npos) return entry.path().string();
    }
    return {};
  }

  const ScratchFolder folder_;
  const std::string arguments_;
  pid_t id_ = 0;
};

void wait_a_while(int times = 1) { std::this_thread::sleep_for(times * std::chrono::milliseconds(1500)); }

void wait_for(const std::filesystem::path& file) {
  for (int patience = 0; patience < 2000 && !std::filesystem::exists(file); ++patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// A Python kernel in the folder, with these lines before it answers.
std::string program(const std::filesystem::path& folder, const std::string& when_it_starts,
                    const std::string& when_it_is_called) {
  std::ofstream(folder / "program.py") << "import sys, time\nsys.path.insert(0, '" << source_folder()
                                       << "/examples/python')\n"
                                       << when_it_starts << "\nimport kernel\nright = kernel.forward\n"
                                       << "def forward(texts, tensors):\n  keys = tensors['key'][1][2]\n"
                                       << when_it_is_called << "\nkernel.forward = forward\nkernel.main()\n";
  return fmt::format("--program='python3 {}'", (folder / "program.py").string());
}

TEST(Watched, HearsCtrlCInALongTruthSlow) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Running run(long_truth + " --kernel=dense");
    wait_a_while();
    run.signal(signal);
    const Json report = run.expect_cut_short();
    ASSERT_EQ(report.at("runs").size(), 2u) << "the kernel that was not begun is named as well";
    for (const Json& one : report.at("runs")) {
      EXPECT_EQ(one.at("conforms"), false);
      EXPECT_EQ(one.at("complete"), false);
      EXPECT_EQ(one.at("cut_short"), "interrupted");
    }
  }
}

TEST(Watched, HearsCtrlCInASuiteSlow) {
  Running run("--kernel=flash --suite=smoke --require=causal");
  wait_a_while(4);  // its designs are made first
  run.signal(SIGINT);
  const Json report = run.expect_cut_short();
  EXPECT_FALSE(report.at("runs").at(0).at("cases").empty()) << "what was seen stands";
  EXPECT_TRUE(report.at("runs").at(0).at("failures").empty()) << "nothing is concluded of half a suite";
}

TEST(Watched, HearsCtrlCInACallThatHangsSlow) {
  Running run(fmt::format("--plugin='{}/hostile/hangs.so' 'shape=1x1x4x4x4'", program_folder()));
  wait_a_while();
  run.signal(SIGINT);
  EXPECT_TRUE(run.expect_cut_short().at("runs").at(0).at("failures").empty()) << "interrupted is not hung";
}

TEST(Watched, HearsCtrlCWhileAProgramStartsSlow) {
  const ScratchFolder folder;
  const std::filesystem::path started = folder / "started";
  Running run(program(folder.path(), fmt::format("open('{}', 'w').close()\ntime.sleep(100)", started.string()),
                      "  return right(texts, tensors)"));
  wait_for(started);
  run.signal(SIGINT);
  EXPECT_TRUE(run.expect_cut_short().at("runs").empty());
}

TEST(Watched, HearsCtrlCInShrinkingSlow) {
  const ScratchFolder folder;
  const std::string shrinks =
      fmt::format("  if keys < 33: open('{}', 'w'); time.sleep(0.3)\n", (folder / "shrinks").string());
  Running run(program(folder.path(), "", shrinks + "  return right({**texts, 'scale': '1'}, tensors)") +
              " --property=value_bound shape=4x4x9x33x8");
  wait_for(folder / "shrinks");
  run.signal(SIGINT);
  const auto [status, seconds] = run.ended(long_s);
  EXPECT_LT(seconds, soon_s);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << "what failed stands: " << status;
}

TEST(Watched, EndsAtOnceAtTheSecondCtrlCSlow) {
  Running run(long_truth);
  wait_a_while();
  run.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  run.signal(SIGINT);
  const auto [status, seconds] = run.ended(long_s);
  EXPECT_LT(seconds, 0.5);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(Watched, KeepsToItsBudgetSlow) {
  Running run(long_truth + " --budget=1s");
  EXPECT_EQ(run.expect_cut_short(1 + soon_s).at("runs").at(0).at("cut_short"), "over budget");
}

// Of the certified truth, for one: what its threads throw reaches nobody.
TEST(Watched, SurvivesAnExceptionInAThreadOfAParallelRegionSlow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto judge_and_end = [] {
    const Property property{.name = "throws",
                            .claim = "none",
                            .inapplicable = [](const Problem&) { return std::string(); },
                            .check = [](Trial& trial) -> Verdict {
#pragma omp parallel num_threads(2)
                              if (trial.problem().shape.keys == 5 && omp_get_thread_num() == 1) throw std::bad_alloc();
                              return Verdict::passed();
                            }};
    RunOptions options{.problems = parse_problems("shape=1x1x4x4x4,1x1x4x5x4"), .properties = {&property}};
    const WatchedRuns runs({.kernels = [] { return std::vector<Candidate>{make_kernel("flash")}; },
                            .options_of = [&](const Kernel&) { return options; }});
    std::exit(static_cast<int>(runs.end_with([&] {
      const KernelRun run = runs.results().at(0);
      fmt::print(stderr, "{} case, {}\n", run.cases.size(), run.own_failures.at(0));
      return status_of({"0", "none", "a test", {run}}, false);
    })));
  };
  EXPECT_EXIT(judge_and_end(), testing::ExitedWithCode(3), "1 case, out of memory");
}

TEST(Watched, NeverTakesForASuccessWhatWasCutShortSlow) {
  // One problem that is judged at once, and one that takes longer than the budget.
  const ScratchFolder folder;
  std::ofstream(folder / "suite.txt") << "shape=1x1x4x17x4\nshape=1x8x4000x4000x64\n";
  const auto status = [&](const std::string& options) {
    return shell(fmt::format("attestone run --suite={} --property=value_bound --budget=4s {}",
                             (folder / "suite.txt").string(), options))
        .status;
  };
  EXPECT_EQ(status("--kernel=flash"), 6);
  EXPECT_EQ(status("--kernel=flash --allow-incomplete"), 0);
  EXPECT_EQ(status("--kernel=lost_tail"), 1) << "a failure is a failure";
}

}  // namespace
}  // namespace attestone
