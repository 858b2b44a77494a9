// SPDX-License-Identifier: Apache-2.0
// Messages overtake each other: the one that was sent last arrives first.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Reorder final : public Fault {
 public:
  void leaving(std::vector<Message>& sent) override {
    for (const Message& message : sent) newest_ = message.number;
  }
  using Fault::holds_back;
  bool holds_back(const Message& message) override { return message.number < newest_ && happens(); }

 private:
  index newest_ = 0;
};

const Registration<FaultRule> registered{
    {.name = "reorder",
     .summary = "messages overtake each other",
     .arguments = "nothing",
     .make = [](FaultArguments&) -> std::unique_ptr<Fault> { return std::make_unique<Reorder>(); }}};

}  // namespace
}  // namespace attestone::inline simulate
