// SPDX-License-Identifier: Apache-2.0
// What programs do wrong is named: circles of waiting, other operations than their partners', requests let go.
#include <optional>

#include "tests/simulate/in_a_world.hpp"

namespace attestone {
namespace {

constexpr std::uint64_t seeds = 20;

/// The fault of a program, which every seed must name so.
template <class Program>
std::string named(const std::string& reason, index ranks, Program program) {
  std::string heard;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    World world(settings(ranks, seed));
    heard = fault_of(world, [&](index rank) { return program(world, rank); });
    EXPECT_TRUE(heard.starts_with(reason + ": ")) << seed << ": " << heard;
  }
  return heard;
}

/// One number to a member, and one from it.
Request give(World& world, const Group& group, index to, const Signature& signature, const Tensor& tensor) {
  const ConstView view = tensor.view();
  return world.communicator(group.rank_at(group.place)).send(group, to, signature, std::span(&view, 1));
}
Request take(World& world, const Group& group, index from, const Signature& signature, Tensor& tensor) {
  const View view = tensor.view();
  return world.communicator(group.rank_at(group.place)).receive(group, from, signature, std::span(&view, 1));
}
Signature begin(World& world, const Group& group, const char* what, CallSite where = CallSite::current()) {
  return world.communicator(group.rank_at(group.place)).begin(group, what, where);
}

Task<> everybody_receives_first(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor number = row(1);
  const Signature signature = begin(world, group, "hop");
  co_await take(world, group, group.beside(-1), signature, number);
  co_await give(world, group, group.beside(1), signature, number);
}

TEST(Deadlock, NamesItsCircle) {
  const std::string heard = named("deadlock", 3, everybody_receives_first);
  for (const char* part : {"rank 0 waits for hop 0 of group ring, 1 x f32, from rank 2 (mistakes_test.cpp:",
                           "; rank 2 waits for hop 0 of group ring, 1 x f32, from rank 1 (mistakes_test.cpp:",
                           "; rank 1 waits for hop 0 of group ring, 1 x f32, from rank 0 (mistakes_test.cpp:"})
    EXPECT_TRUE(contains(heard, part)) << heard;
}

Task<> everybody_sends_first(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor number = row(1);
  const Signature signature = begin(world, group, "hop");
  co_await give(world, group, group.beside(1), signature, number);
  co_await take(world, group, group.beside(-1), signature, number);
}

TEST(Deadlock, IsSeenWhereOnlyRoomForMessagesHidesIt) {
  EXPECT_TRUE(contains(named("deadlock", 3, everybody_sends_first), "to rank 1"));
}

Task<> two_wait_for_each_other(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor number = row(1);
  const Signature signature = begin(world, group, "hop");
  const index from = rank == 1 ? 2 : 1;
  co_await take(world, group, from, signature, number);
}

TEST(Deadlock, LeavesOutWhoOnlyWaitsForTheCircle) {
  const std::string heard = named("deadlock", 3, two_wait_for_each_other);
  EXPECT_TRUE(heard.starts_with("deadlock: rank 1 waits") && contains(heard, "rank 2 waits")) << heard;
  EXPECT_FALSE(contains(heard, "rank 0 waits")) << heard;
}

Task<> out_of_memory() {
  throw KernelFault("out-of-memory", "none is left");
  co_return;
}
Task<> fails_beside(World& world, index rank) {
  Task<> failing = out_of_memory();
  failing.start(world.communicator(rank).transport());
  co_await everybody_receives_first(world, rank);
  co_await failing;
}

TEST(Deadlock, IsNotNamedWhereATaskHadFailed) { named("out-of-memory", 2, fails_beside); }

Task<> two_groups_crosswise(World& world, index rank) {
  const Group one = everybody(world, rank, rank == 0 ? "one" : "other");
  const Group other = everybody(world, rank, rank == 0 ? "other" : "one");
  co_await barrier(world.communicator(rank), one);
  co_await barrier(world.communicator(rank), other);
}

TEST(Deadlock, OfTwoGroupsNamesBoth) {
  const std::string heard = named("deadlock", 2, two_groups_crosswise);
  EXPECT_TRUE(contains(heard, "barrier 0 of group one") && contains(heard, "barrier 0 of group other")) << heard;
}

Task<> another_operation(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor values = row(2);
  if (rank == 1)
    co_await barrier(world.communicator(rank), group);
  else
    co_await broadcast(world.communicator(rank), group, 0, values.view());
}

TEST(Mismatch, OfOperationsNamesBothCalls) {
  const std::string heard = named("mismatched-message", 2, another_operation);
  EXPECT_TRUE(contains(heard, "broadcast 0 of group ring") && contains(heard, "barrier 0 of group ring")) << heard;
  const std::size_t one = heard.find("mistakes_test.cpp:");
  EXPECT_NE(heard.find("mistakes_test.cpp:", one + 1), std::string::npos) << heard;
}

/// Two ranks that agree on all but one thing: rank 0 sends so many of a format.
template <class Change>
std::string mismatch(Change change) {
  return named("mismatched-message", 2, [=](World& world, index rank) -> Task<> {
    const Group group = everybody(world, rank);
    Signature signature = begin(world, group, "hop");
    Tensor number = row(2);
    if (rank == 0) change(signature, number);
    if (rank == 0)
      co_await give(world, group, 1, signature, number);
    else
      co_await take(world, group, 0, signature, number);
  });
}

TEST(Mismatch, OfMessagesNamesBothSignatures) {
  const std::string count = mismatch([](Signature&, Tensor& number) { number = row(3); });
  EXPECT_TRUE(contains(count, "receives hop 0 of group ring, 2 x f32, from rank 0 (mistakes_test.cpp:")) << count;
  EXPECT_TRUE(contains(count, "rank 0 sent hop 0 of group ring, 3 x f32 at mistakes_test.cpp:")) << count;
  const std::string format = mismatch([](Signature&, Tensor& number) { number = row(2, 0, "bf16"); });
  EXPECT_TRUE(contains(format, "2 x bf16 at")) << format;
  const std::string operation = mismatch([](Signature& signature, Tensor&) { signature.operation = "jump"; });
  EXPECT_TRUE(contains(operation, "jump 0 of group ring")) << operation;
  const std::string number = mismatch([](Signature& signature, Tensor&) { signature.number = 4; });
  EXPECT_TRUE(contains(number, "hop 4 of group ring")) << number;
}

Task<> one_barrier_more(World& world, index rank) {
  const Group group = everybody(world, rank);
  for (int i = 0; i < (rank == 0 ? 3 : 2); ++i) co_await barrier(world.communicator(rank), group);
}

TEST(Mismatch, MissingOperationsAreNamed) {
  const std::string heard = named("mismatched-message", 2, one_barrier_more);
  EXPECT_TRUE(contains(heard, "rank 1 has ended after 2 operations of group ring, where rank 0 began barrier 2"))
      << heard;
}

Task<> an_operation_without_messages(World& world, index rank) {
  const Group group = everybody(world, rank);
  if (rank == 0) begin(world, group, "thought");
  co_return;
}

TEST(Mismatch, MissingOperationsAreNamedWhereNobodyWaits) {
  EXPECT_TRUE(contains(named("mismatched-message", 2, an_operation_without_messages), "thought 0"));
}

Task<> sends_what_nobody_receives(World& world, index rank) {
  const Group group = everybody(world, rank);
  const Signature signature = begin(world, group, "hop");
  const Tensor number = row(1);
  if (rank == 0) co_await give(world, group, 1, signature, number);
}

TEST(LostMessages, ThatNobodyReceivesAreNamed) {
  EXPECT_TRUE(contains(named("lost-message", 2, sends_what_nobody_receives), "rank 0 sent hop 0"));
}

Task<> lets_go(World& world, index rank) {
  const Group group = everybody(world, rank);
  const Signature signature = begin(world, group, "hop");
  Tensor number = row(1);
  if (rank == 0)
    co_await give(world, group, 1, signature, number);
  else
    const Request forgotten = take(world, group, 0, signature, number);
}

TEST(Lifetimes, ARequestIsAwaited) {
  EXPECT_TRUE(contains(named("request-not-awaited", 2, lets_go), "rank 1 never awaits hop 0 of group ring"));
}

TEST(Lifetimes, ARequestThatIsKeptIsAwaited) {
  World world(settings(2));
  Tensor number = row(1);
  std::optional<Request> kept;
  const std::string heard = fault_of(world, [&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    const Signature signature = begin(world, group, "hop");
    if (rank == 0)
      co_await give(world, group, 1, signature, number);
    else
      kept.emplace(take(world, group, 0, signature, number));
  });
  EXPECT_TRUE(heard.starts_with("request-not-awaited: rank 1 never awaits hop 0")) << heard;
}

Task<> fails_on_the_way(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor mine = row(4, 1), other = row(4);
  const std::vector<ConstView> out = sent({&mine});
  const std::vector<View> in = taken({&other});
  std::vector<Request> under_way = permute(world.communicator(rank), group, 1, out, in);
  if (rank == 1) throw KernelFault("out-of-memory", "none is left");
  co_await all_of(std::move(under_way));
}

TEST(Lifetimes, RequestsThatAnExceptionTakesAlongAreNoMistake) {
  EXPECT_EQ(named("out-of-memory", 2, fails_on_the_way), "out-of-memory: rank 1: none is left");
}

Task<> writes_what_it_sends(World& world, index rank) {
  const Group group = everybody(world, rank);
  Tensor mine = row(4, 1), other = row(4);
  const std::vector<ConstView> out = sent({&mine});
  const std::vector<View> in = taken({&other});
  std::vector<Request> under_way = permute(world.communicator(rank), group, 1, out, in);
  if (rank == 1) mine.view().set(0, 0, 0, 3, 2);
  co_await all_of(std::move(under_way));
}

TEST(Lifetimes, WhatIsSentStays) {
  EXPECT_TRUE(contains(named("send-buffer-changed", 2, writes_what_it_sends), "rank 1 wrote to what it sends"));
}

TEST(Lifetimes, WhatIsReceivedHoldsNothingBefore) {
  World world(settings(2));
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    const Tensor mine = row(1, 1);
    Tensor other = row(1, 5);
    const std::vector<ConstView> out = sent({&mine});
    const std::vector<View> in = taken({&other});
    const double before = first(other);
    std::vector<Request> under_way = permute(world.communicator(rank), group, 1, out, in);
    const bool known = first(other) == before;
    co_await all_of(std::move(under_way));
    EXPECT_FALSE(known);
    EXPECT_EQ(first(other), 1);
  });
}

Task<> waits_for(World& world, index rank) {
  const Group group = everybody(world, rank);
  co_await barrier(world.communicator(rank), group);
}

TEST(Lifetimes, ATaskEndsBeforeItIsDestroyed) {
  named("task-not-awaited", 2, [](World& world, index rank) -> Task<> {
    Task<> barrier_beside = waits_for(world, rank);
    barrier_beside.start(world.communicator(rank).transport());
    co_return;
  });
}

TEST(Lifetimes, ATaskEndsBeforeTheWorldDoes) {
  World world(settings(2));
  Tensor number = row(1);
  std::optional<Task<>> kept;
  const auto receives = [&]() -> Task<> {
    const Group group = everybody(world, 0);
    Signature signature;
    signature.group = group.name;
    co_await take(world, group, 1, signature, number);
  };
  const std::string heard = fault_of(world, [&](index rank) -> Task<> {
    if (rank == 1) co_return;
    kept.emplace(receives());
    kept->start(world.communicator(rank).transport());
  });
  EXPECT_TRUE(heard.starts_with("task-not-awaited: rank 0 ended before a task of its own")) << heard;
}

}  // namespace
}  // namespace attestone
