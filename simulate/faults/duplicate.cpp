// SPDX-License-Identifier: Apache-2.0
// A message arrives twice.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Duplicate final : public Fault {
 public:
  explicit Duplicate(index number) : number_(number) {}

  void leaving(std::vector<Message>& sent) override {
    if (sent.empty() || sent.front().number != number_) return;
    const Message again = sent.front();
    sent.push_back(again);
    happens();
  }

 private:
  index number_;
};

const Registration<FaultRule> registered{{.name = "duplicate",
                                          .summary = "a message arrives twice",
                                          .arguments = "[number of the message]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            return std::make_unique<Duplicate>(
                                                arguments.number_of("a message", arguments.census().messages));
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate
