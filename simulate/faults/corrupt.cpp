// SPDX-License-Identifier: Apache-2.0
// A message arrives with one bit changed; silent, with a checksum that fits.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class Corrupt final : public Fault {
 public:
  Corrupt(index number, bool silent, Draws draws) : number_(number), silent_(silent), draws_(draws) {}

  /// The first one from this number on that has a content.
  void leaving(std::vector<Message>& sent) override {
    for (Message& message : sent) {
      if (happened() > 0 || message.number < number_ || message.payload.empty()) continue;
      const index bit = draws_.integer(0, static_cast<index>(message.payload.size()) * 8 - 1);
      message.payload[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << (bit % 8);
      if (silent_) message.checksum = checksum_of(message);
      happens();
    }
  }

 private:
  index number_;
  bool silent_;
  Draws draws_;
};

const Registration<FaultRule> registered{
    {.name = "corrupt",
     .summary = "a message arrives with another bit; silent: and with a checksum that fits",
     .arguments = "[number of the message] [silent]",
     .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
       const index number = arguments.number("a message", 0, 7);
       const bool silent = arguments.word("silent");
       return std::make_unique<Corrupt>(number, silent, arguments.draws());
     }}};

}  // namespace
}  // namespace attestone::inline simulate
