// SPDX-License-Identifier: Apache-2.0
// A message is lost.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Drop final : public Fault {
 public:
  explicit Drop(index number) : number_(number) {}

  void leaving(std::vector<Message>& sent) override {
    if (std::erase_if(sent, [&](const Message& message) { return message.number == number_; }) > 0) happens();
  }

 private:
  index number_;
};

const Registration<FaultRule> registered{{.name = "drop",
                                          .summary = "a message is lost",
                                          .arguments = "[number of the message]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            return std::make_unique<Drop>(
                                                arguments.number_of("a message", arguments.census().messages));
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate
