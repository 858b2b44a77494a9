// SPDX-License-Identifier: Apache-2.0
// A device computes more slowly.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Straggler final : public Fault {
 public:
  Straggler(index rank, index factor, Draws draws) : rank_(rank), factor_(factor), draws_(draws) {}

  bool holds_back(index rank) override { return rank == rank_ && draws_.integer(1, factor_) > 1 && happens(); }

 private:
  index rank_, factor_;
  Draws draws_;
};

const Registration<FaultRule> registered{{.name = "straggler",
                                          .summary = "a device computes more slowly",
                                          .arguments = "[rank] [how many times as slowly]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            const index rank = arguments.rank(),
                                                        factor = arguments.number("a factor", 2, 64);
                                            return std::make_unique<Straggler>(rank, factor, arguments.draws());
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate
