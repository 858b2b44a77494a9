// SPDX-License-Identifier: Apache-2.0
// Devices have as much memory as a world says.
#include "tests/simulate/in_a_world.hpp"

namespace attestone {
namespace {

TEST(Memory, BeyondTheLimitIsNamedWithWhatIsTaken) {
  WorldSettings small = settings(2);
  small.memory = 1000;
  World world(small);
  const std::string heard = fault_of(world, [&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    const auto keys = world.device(rank).allocate<float>(100, "keys");
    const auto values = world.device(rank).allocate<float>(50, "values");
    co_await barrier(world.communicator(rank), group);
    if (rank == 1) world.device(rank).allocate<float>(101, "accumulator");
    co_await barrier(world.communicator(rank), group);
  });
  EXPECT_EQ(heard,
            "out-of-memory: rank 1: 404 bytes for accumulator do not fit: of 1000, 600 are taken\n"
            "           400 keys\n           200 values");
  EXPECT_EQ(world.device(0).peak().bytes, 600);
  EXPECT_EQ(world.device(1).live().bytes, 0);
}

}  // namespace
}  // namespace attestone
