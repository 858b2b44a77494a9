// SPDX-License-Identifier: Apache-2.0
// Peers take turns, are stopped between them, and cannot harm a bench by what they answer.
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "backends/plugins/process/process_tree.hpp"
#include "conformance/bench/peers/peer_contender.hpp"
#include "conformance/bench/peers/peer_process.hpp"
#include "reference/user_error.hpp"
#include "tests/contains.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

const PeerLine fake{"python3 '" + source_folder() + "/tests/conformance/bench/fake_peer.py'", 20};

std::unique_ptr<Runner> ready(const std::string& name, const std::string& problem = "shape=1x1x4x4x4",
                              double seconds = 20) {
  return peer_contender({fake.line, seconds}, name)->ready(parse_problem(problem), 2);
}

/// The message of the Error that the work throws.
template <class Error>
std::string thrown(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Peers, SayWhoIsThere) {
  const std::vector<PeerFacts> peers = listed_peers(fake);
  ASSERT_GT(peers.size(), 2u);
  EXPECT_EQ(peers[0].name, "right");
  EXPECT_EQ(peers[0].version, "fake 1");
  EXPECT_EQ(peers[1].absent, "no package of that kind");
  for (const char* line : {"false", "echo hello", "echo '{\"protocol\":\"other\",\"peers\":[]}' #",
                           "echo '{\"protocol\":\"attestone.peers/1\",\"peers\":[{}]}' #", "nothing_of_that_name"})
    EXPECT_TRUE(contains(thrown<UserError>([&] { listed_peers({line, 20}); }), "do not say who they are")) << line;
}

TEST(Peers, AnswerWithTheirTime) {
  const auto runner = ready("right");
  const double seconds = runner->seconds_of_turn();
  EXPECT_GE(seconds, 0.002);
  EXPECT_LT(seconds, 1);
  EXPECT_EQ(runner->memory().bytes, 4096);
  EXPECT_EQ(runner->notes(), (std::vector<std::string>{"2 threads, OMP_NUM_THREADS=2"}));
}

TEST(Peers, AreSkippedWithTheirReason) {
  EXPECT_EQ(thrown<NotTaken>([] { ready("refuses"); }), "does not like f32");
  for (const char* problem :
       {"shape=1x1x4x4x4 mask=~causal", "shape=1x1x4x4x4 score=alibi", "shape=1x1x4x4x4 lengths=3",
        "shape=1x1x4x4x4 layout=bshd", "shape=1x1x4x4x4 dropout=0.5"})
    EXPECT_TRUE(contains(thrown<NotTaken>([&] { ready("right", problem); }), "peers are not asked for")) << problem;
}

/// 'T' while it is stopped.
char state_of(pid_t process) {
  const std::string text = proc_text("/proc/" + std::to_string(process) + "/stat");
  return text.empty() ? 'X' : text[text.rfind(')') + 2];
}

/// Waits a second at most.
void expect_stopped(const std::vector<pid_t>& processes) {
  ASSERT_FALSE(processes.empty());
  for (const pid_t process : processes) {
    for (int waited = 0; waited < 1000 && state_of(process) != 'T'; ++waited) usleep(1000);
    EXPECT_EQ(state_of(process), 'T');
  }
}

TEST(Peers, WhichMisbehaveSaySo) {
  EXPECT_EQ(thrown<Misbehaved>([] { ready("dies"); }), "its process ended: of a broken heart");
  EXPECT_TRUE(contains(thrown<Misbehaved>([] { ready("nonsense"); }), "no JSON object: hello"));
  const std::pair<const char*, const char*> later[] = {{"dies_later", "as everything does"},
                                                       {"no_number", "without a positive 'seconds'"},
                                                       {"overstates", "of a call that took"}};
  for (const auto& [name, part] : later) {
    const auto runner = ready(name);
    const std::string what = thrown<Misbehaved>([&] { runner->seconds_of_turn(); });
    EXPECT_TRUE(contains(what, part)) << name << ": " << what;
  }
  const auto runner = ready("hangs", "shape=1x1x4x4x4", 2);
  EXPECT_EQ(thrown<Misbehaved>([&] { runner->seconds_of_turn(); }), "no answer within 2 s");
  expect_stopped(descendants_of(getpid()));
}

TEST(Peers, AreStoppedBetweenTurnsAndLeaveNothingBehind) {
  auto runner = ready("right");
  const std::vector<pid_t> processes = descendants_of(getpid());
  for (int turn = 0; turn < 2; ++turn) {
    expect_stopped(processes);
    runner->seconds_of_turn();
  }
  runner.reset();
  for (const pid_t process : processes) {
    for (int waited = 0; waited < 1000 && lives(process); ++waited) usleep(1000);
    EXPECT_FALSE(lives(process));
  }
}

}  // namespace
}  // namespace attestone
