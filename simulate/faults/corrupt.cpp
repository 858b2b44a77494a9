// SPDX-License-Identifier: Apache-2.0
// A message arrives with one bit changed; silent, with a checksum that fits, and then a bit that counts.
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
      const index bit = silent_ ? leading_bit(message) : draws_.integer(0, bits_of(message) - 1);
      message.payload[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << (bit % 8);
      if (silent_) message.checksum = checksum_of(message);
      happens();
    }
  }

 private:
  static index bits_of(const Message& message) { return static_cast<index>(message.payload.size()) * 8; }
  /// The one below the sign of an element: of a floating-point number the largest step of its exponent. A lower bit may
  /// lie within the bounds, and show nothing.
  index leading_bit(const Message& message) {
    const index width = bits_of(message) / message.signature.count;
    return (draws_.integer(0, message.signature.count - 1) + 1) * width - 2;
  }

  index number_;
  bool silent_;
  Draws draws_;
};

const Registration<FaultRule> registered{
    {.name = "corrupt",
     .summary = "a message arrives with another bit; silent: and with a checksum that fits",
     .arguments = "[number of the message] [silent]",
     .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
       const index number = arguments.number_of("a message", arguments.census().contents);
       const bool silent = arguments.word("silent");
       return std::make_unique<Corrupt>(number, silent, arguments.draws());
     }}};

}  // namespace
}  // namespace attestone::inline simulate
