// SPDX-License-Identifier: Apache-2.0
// Every fault that does harm is noticed, and named.
#include "reference/registry.hpp"
#include "reference/user_error.hpp"
#include "tests/simulate/in_a_world.hpp"

namespace attestone {
namespace {

/// Three hops round a ring of numbers; what has arrived.
std::string ring_with(const std::vector<FaultCall>& faults, std::uint64_t seed,
                      std::vector<double>* arrived = nullptr) {
  const WorldSettings four = settings(4, seed);
  World world(four, faulty(four, faults));
  const std::string heard = fault_of(world, [&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    Tensor current = row(8, static_cast<double>(1 + rank));
    for (int hop = 0; hop < 3; ++hop) {
      Tensor next = row(8);
      const std::vector<ConstView> out = sent({&current});
      const std::vector<View> in = taken({&next});
      co_await all_of(permute(world.communicator(rank), group, 1, out, in));
      current = std::move(next);
    }
    for (index i = 0; arrived && i < 8; ++i) arrived->push_back(current.view().value(0, 0, 0, i));
  });
  for (std::size_t fault = 0; fault < faults.size(); ++fault) EXPECT_GT(world.happened(fault), 0) << fault;
  return heard;
}

TEST(Faults, AreNamed) {
  const std::vector<std::pair<std::string, std::string>> names{{"drop", "lost-message"},
                                                               {"duplicate", "duplicate-message"},
                                                               {"corrupt", "corrupted-message"},
                                                               {"dead_rank", "dead-rank"},
                                                               {"mismatched_collective", "mismatched-message"}};
  for (const auto& [fault, reason] : names)
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const std::string heard = ring_with({{fault, {}}}, seed);
      EXPECT_TRUE(heard.starts_with(reason + ": ")) << fault << " " << seed << ": " << heard;
    }
}

TEST(Faults, SayWhere) {
  EXPECT_TRUE(contains(ring_with({{"drop", {"5"}}}, 1), "x f32, to rank ")) << ring_with({{"drop", {"5"}}}, 1);
  EXPECT_TRUE(contains(ring_with({{"drop", {"5"}}}, 1), "faults_test.cpp:")) << ring_with({{"drop", {"5"}}}, 1);
  const std::string dead = ring_with({{"dead_rank", {"2", "3"}}}, 1);
  EXPECT_TRUE(contains(dead, "rank 2 stopped after 3 steps; rank ")) << dead;
  const std::string other = ring_with({{"mismatched_collective", {"1", "2"}}}, 1);
  EXPECT_TRUE(contains(other, "barrier 2 of group ring at ") && contains(other, "permute 2 of group ring at "))
      << other;
}

TEST(Faults, SilentCorruptionArrives) {
  std::vector<double> right, wrong;
  EXPECT_EQ(ring_with({}, 3, &right), "nothing");
  EXPECT_EQ(ring_with({{"corrupt", {"2", "silent"}}}, 3, &wrong), "nothing");
  EXPECT_EQ(right.size(), 32u);
  int different = 0;
  for (std::size_t i = 0; i < right.size(); ++i) different += right[i] != wrong[i];
  EXPECT_EQ(different, 1);
}

TEST(Faults, Compose) {
  EXPECT_TRUE(ring_with({{"delay", {}}, {"reorder", {}}, {"corrupt", {"4"}}}, 3).starts_with("corrupted-message: "));
}

TEST(Faults, AreThoseOfTheCommandLine) {
  EXPECT_EQ(Registry<FaultRule>::names(),
            (std::vector<std::string>{"corrupt", "dead_rank", "delay", "drop", "duplicate", "mismatched_collective",
                                      "reorder", "straggler"}));
}

TEST(Faults, ThatCannotBeAreRefused) {
  const auto refused = [](FaultCall call) {
    try {
      make_faults({std::move(call)}, Census::of(4), 0);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_TRUE(contains(refused({"dropp", {}}), "did you mean 'drop'?"));
  EXPECT_TRUE(contains(refused({"dead_rank", {"4"}}), "a rank is 0 to 3"));
  EXPECT_TRUE(contains(refused({"corrupt", {"silently"}}), "it takes [number of the message] [silent]"));
  EXPECT_TRUE(contains(refused({"reorder", {"1"}}), "'1' is no argument of the fault reorder"));
  EXPECT_EQ(refused({"corrupt", {"silent"}}), "nothing");
}

}  // namespace
}  // namespace attestone
