// SPDX-License-Identifier: Apache-2.0
// Whatever the order of events: the same bits. The same seed: the same order; another one: mostly another.
#include <set>

#include "backends/distributed/messages/message.hpp"
#include "tests/simulate/in_a_world.hpp"

namespace attestone {
namespace {

/// A hash of the results of four ranks after some collectives of two groups, and the digest of the events.
struct Answer {
  std::uint64_t bits = 0, digest = 0;
};

Task<> program(World& world, index rank, std::vector<Tensor>& results) {
  Communicator& mine = world.communicator(rank);
  const Group all = everybody(world, rank);
  Group pair;
  pair.name = "pair";
  pair.members = rank < 2 ? std::vector<index>{0, 1} : std::vector<index>{2, 3};
  pair.place = rank % 2;

  Tensor values = row(5, 1. / static_cast<double>(3 + rank)), other = row(5);
  const std::vector<ConstView> out = sent({&values});
  const std::vector<View> in = taken({&other});
  std::vector<Request> under_way = permute(mine, pair, 1, out, in);
  std::vector<Tensor> room;
  for (int i = 0; i < 4; ++i) room.push_back(row(5));
  Tensor sum = row(5, 0.1 * static_cast<double>(rank));
  const std::vector<View> rooms = taken({&room[0], &room[1], &room[2], &room[3]});
  co_await all_reduce(mine, all, sum.view(), rooms);
  co_await all_of(std::move(under_way));
  for (index i = 0; i < 5; ++i) other.view().set(0, 0, 0, i, other.view().value(0, 0, 0, i) + first(sum));
  co_await broadcast(mine, pair, 1, other.view());
  co_await barrier(mine, all);
  results[static_cast<std::size_t>(rank)] = std::move(other);
}

Answer answer(std::uint64_t seed, const std::vector<FaultCall>& faults = {}) {
  const WorldSettings four = settings(4, seed);
  World world(four, faulty(four, faults));
  std::vector<Tensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(row(5));
  world.run([&](index rank) { return program(world, rank, results); });
  return {hash_of(packed(sent({&results[0], &results[1], &results[2], &results[3]}))), world.digest()};
}

TEST(Interleavings, GiveTheSameBits) {
  const Answer one = answer(0);
  std::set<std::uint64_t> digests;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Answer other = answer(seed);
    EXPECT_EQ(other.bits, one.bits) << seed;
    digests.insert(other.digest);
  }
  EXPECT_GT(digests.size(), 190u);
}

TEST(Interleavings, AreThoseOfTheSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto once = answer(seed), again = answer(seed);
    EXPECT_EQ(once.digest, again.digest);
  }
  const auto once = answer(3, {{"delay", {}}}), again = answer(3, {{"delay", {}}});
  EXPECT_EQ(once.digest, again.digest);
}

TEST(Interleavings, AreTheSameOnEveryMachine) { EXPECT_EQ(answer(1).digest, 1807353446163221834u); }

// slow: many orders of events
TEST(Interleavings, BySlownessAreHarmless) {
  for (const char* fault : {"straggler", "delay", "reorder"}) {
    const WorldSettings four = settings(4, 5);
    World world(four, faulty(four, {{fault, {}}}));
    std::vector<Tensor> results;
    for (int i = 0; i < 4; ++i) results.push_back(row(5));
    world.run([&](index rank) { return program(world, rank, results); });
    EXPECT_GT(world.happened(0), 0) << fault;
    EXPECT_EQ(answer(5, {{fault, {}}}).bits, answer(5).bits) << fault;
    EXPECT_NE(answer(5, {{fault, {}}}).digest, answer(5).digest) << fault;
  }
  EXPECT_EQ(answer(6, {{"straggler", {"2", "9"}}, {"reorder", {}}, {"delay", {"3"}}}).bits, answer(6).bits);
}

}  // namespace
}  // namespace attestone
