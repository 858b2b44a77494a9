// SPDX-License-Identifier: Apache-2.0
// A device stops for ever.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class DeadRank final : public Fault {
 public:
  DeadRank(index rank, index steps) : rank_(rank), steps_(steps) {}

  bool stops(index rank, index resumed) override { return rank == rank_ && resumed >= steps_ && happens(); }

 private:
  index rank_, steps_;
};

const Registration<FaultRule> registered{{.name = "dead_rank",
                                          .summary = "a device stops",
                                          .arguments = "[rank] [after how many steps]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            const auto [rank, steps] =
                                                arguments.rank_and("a number of steps", arguments.census().steps);
                                            return std::make_unique<DeadRank>(rank, steps);
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate
