// SPDX-License-Identifier: Apache-2.0
// A rank that dies, leaves or hangs ends in a verdict, in time, and nothing is left running.
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "reference/system_failure.hpp"
#include "tests/backends/distributed/worlds/processes/crew_of_processes.hpp"
#include "tests/contains.hpp"
#include "tests/descendants.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double limit_s = 2;
/// For starting processes, for mpirun to end, and for a busy machine.
constexpr double patience_s = 20;

const Problem small = parse_problem("shape=1x2x9x13x4");

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// "reason: what", or "nothing".
std::string fault_of(const Kernel& kernel) {
  RandomCall call(small);
  try {
    call.run(kernel);
  } catch (const KernelFault& fault) {
    return fault.reason() + ": " + fault.what();
  }
  return "nothing";
}

/// The processes that are ranks.
std::vector<pid_t> living_ranks() {
  std::vector<pid_t> all;
  for (const pid_t process : Descendants::living()) {
    std::string program;
    std::getline(std::ifstream("/proc/" + std::to_string(process) + "/cmdline"), program, '\0');
    if (program.ends_with("attestone_rank")) all.push_back(process);
  }
  return all;
}

class WrongRank : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpi()) GTEST_SKIP() << "without MPI";
  }
  const Descendants descendants;
};

/// A misbehaviour of rank 1, the beginning of the verdict, and other words in it.
struct Mistake {
  std::string how, begins, says;
};

// slow: waits for what hangs, and starts thirty processes
TEST_F(WrongRank, IsNamedInTimeAndLeavesNothingRunning) {
  for (const Mistake& mistake : std::initializer_list<Mistake>{
           {"dies", "crashed: rank 1 ended: signal 9 (Killed)", ""},
           {"crashes", "crashed: rank 1 ended: signal 6 (Aborted)", ""},
           {"exits", "exited: rank 1 ended: exit status 3", ""},
           {"leaves", "exited: rank 1 ended: exit status 0", ""},
           {"throws", "crashed: rank 1: it throws", ""},
           {"computes",
            "hung: did not answer within 2 s: rank 0 waits for permute 1 of group ring, 40 x f32, to rank 1 (ring.cpp:",
            "rank 1 computes"},
           {"prints", "hung: did not answer within 2 s: rank 0 waits for ", "rank 1 computes"},
           {"waits", "deadlock: did not answer within 2 s: rank 0 ",
            "rank 1 waits for nobody 0 of group aside, 3 x f32, from rank 0 (misbehaves.cpp:"},
           {"mismatches", "mismatched-message: rank ", "ring.cpp:"},
           {"forgets", "request-not-awaited: rank 1: ", "misbehaves.cpp:"}}) {
    const auto begin = Clock::now();
    {
      const auto crew = crew_of(3, limit_s);
      const std::string fault = fault_of(by_mpi("misbehaves:how=" + mistake.how, "ring:3", crew));
      EXPECT_TRUE(fault.starts_with(mistake.begins) && contains(fault, mistake.says)) << mistake.how << ": " << fault;
      EXPECT_LT(seconds_since(begin), limit_s + patience_s) << mistake.how;
      EXPECT_EQ(Descendants::left(), std::vector<std::string>{}) << mistake.how;
    }
    EXPECT_EQ(Descendants::left(), std::vector<std::string>{}) << mistake.how;
  }
}

TEST_F(WrongRank, IsFollowedByACrewThatAnswers) {
  const auto crew = crew_of(2);
  EXPECT_TRUE(contains(fault_of(by_mpi("misbehaves", "ring:2", crew)), "rank 1 ended"));
  EXPECT_EQ(fault_of(by_mpi("ring", "ring:2", crew)), "nothing");
}

/// Ranks that have answered wait for calls asleep.
TEST_F(WrongRank, KilledBetweenCallsIsNamedAsWell) {
  const auto crew = crew_of(2);
  const MpiKernel kernel = by_mpi("ring", "ring:2", crew);
  EXPECT_EQ(fault_of(kernel), "nothing");
  ASSERT_EQ(living_ranks().size(), 2u);
  kill(living_ranks().front(), SIGKILL);
  const std::string fault = fault_of(kernel);
  EXPECT_TRUE(contains(fault, "signal 9 (Killed)")) << fault;
  EXPECT_EQ(fault_of(kernel), "nothing");
}

/// However the judge ends, mpirun and its ranks end as well.
TEST_F(WrongRank, EndsWithItsJudge) {
  const pid_t judge = fork();
  if (judge == 0) {
    fault_of(by_mpi("misbehaves:how=computes", "ring:3", crew_of(3, 1000)));
    _exit(0);
  }
  const auto begin = Clock::now();
  while (living_ranks().size() < 3 && seconds_since(begin) < patience_s)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(living_ranks().size(), 3u);
  kill(judge, SIGKILL);
  waitpid(judge, nullptr, 0);
  EXPECT_EQ(Descendants::left(std::chrono::seconds(5)), std::vector<std::string>{});
}

TEST_F(WrongRank, IsNoneWhereProcessesCannotBeStarted) {
  RankJobSettings settings;
  settings.libraries = {"/nowhere/library.so"};
  const auto crew = std::make_shared<StartedCrew>(settings);
  try {
    fault_of(by_mpi("ring", "ring:1", crew));
    FAIL() << "it answered";
  } catch (const SystemFailure& denied) {
    EXPECT_TRUE(contains(denied.what(), "/nowhere/library.so")) << denied.what();
  }
}

}  // namespace
}  // namespace attestone
