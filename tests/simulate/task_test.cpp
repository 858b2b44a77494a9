// SPDX-License-Identifier: Apache-2.0
// Tasks await a million times without a stack that grows, and answer, and fail, as functions do.
#include <stdexcept>

#include "tests/simulate/in_a_world.hpp"

namespace attestone {
namespace {

Task<index> successor(index number) { co_return number + 1; }
Task<index> failing() {
  throw std::runtime_error("it fails");
  co_return 0;
}

TEST(Task, AwaitsAMillionTasks) {
  World world(settings(1));
  index sum = 0;
  world.run([&](index) -> Task<> {
    for (int i = 0; i < 1000000; ++i) sum = co_await successor(sum);
  });
  EXPECT_EQ(sum, 1000000);
}

Task<> ping(World& world, index rank, index times, index& heard) {
  const Group group = everybody(world, rank);
  for (index i = 0; i < times; ++i) {
    const Tensor mine = row(1, static_cast<double>(i % 1000));
    Tensor other = row(1);
    const std::vector<ConstView> out = sent({&mine});
    const std::vector<View> in = taken({&other});
    co_await all_of(permute(world.communicator(rank), group, 1, out, in));
    heard += first(other) == static_cast<double>(i % 1000);
  }
}

TEST(Task, AwaitsAHundredThousandMessages) {
  constexpr index times = 100000;
  World world(settings(2));
  index heard = 0;
  world.run([&](index rank) { return ping(world, rank, times, heard); });
  EXPECT_EQ(heard, 2 * times);
  EXPECT_EQ(world.sent(0), (Traffic{times, 4 * times}));
}

TEST(Task, ThrowsWhatLeftItWhereItIsAwaited) {
  World world(settings(1));
  std::string heard;
  world.run([&](index) -> Task<> {
    try {
      co_await failing();
    } catch (const std::runtime_error& error) {
      heard = error.what();
    }
  });
  EXPECT_EQ(heard, "it fails");
}

TEST(Task, StartsBesideItsCaller) {
  World world(settings(1));
  std::vector<int> order;
  const auto beside = [&]() -> Task<> {
    order.push_back(2);
    co_return;
  };
  world.run([&](index rank) -> Task<> {
    Task<> task = beside();
    order.push_back(1);
    task.start(world.communicator(rank).transport());
    order.push_back(1);
    co_await task;
    order.push_back(3);
  });
  EXPECT_EQ(order, (std::vector{1, 1, 2, 3}));
}

TEST(Task, WhatAProgramThrowsLeavesTheWorld) {
  World world(settings(3));
  EXPECT_THROW(world.run([&](index) -> Task<> { co_await failing(); }), std::runtime_error);
  EXPECT_THROW(world.run([&](index) -> Task<> { co_return; }), BrokenAssumption);  // it is of no more use
}

TEST(Task, AFailureThatNobodyHearsIsHeard) {
  World world(settings(1));
  EXPECT_THROW(world.run([&](index rank) -> Task<> {
    Task<index> task = failing();
    task.start(world.communicator(rank).transport());
    co_await successor(1);
    co_await successor(2);
    co_await successor(3);
    co_await successor(4);
  }),
               std::runtime_error);
}

TEST(Task, IsAskedOnce) {
  World world(settings(1));
  EXPECT_THROW(world.run([&](index) -> Task<> {
    Task<index> task = successor(1);
    co_await task;
    co_await task;
  }),
               KernelFault);
}

}  // namespace
}  // namespace attestone
