// SPDX-License-Identifier: Apache-2.0
// Messages arrive later.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Delay final : public Fault {
 public:
  Delay(index factor, Draws draws) : factor_(factor), draws_(draws) {}

  using Fault::holds_back;
  bool holds_back(const Message&) override { return draws_.integer(1, factor_) > 1 && happens(); }

 private:
  index factor_;
  Draws draws_;
};

const Registration<FaultRule> registered{{.name = "delay",
                                          .summary = "messages arrive later",
                                          .arguments = "[how many times as late]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            const index factor = arguments.number("a factor", 2, 64);
                                            return std::make_unique<Delay>(factor, arguments.draws());
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate
