// SPDX-License-Identifier: Apache-2.0
// Messages before their receives, and receives before their messages.
#include "backends/distributed/messages/channel.hpp"

#include <fmt/format.h>

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {

std::optional<Message> Channel::expect(index request) {
  const index sequence = asked_for_++;
  const auto found = arrived_.find(sequence);
  if (found == arrived_.end()) {
    expected_[sequence] = request;
    return std::nullopt;
  }
  std::optional<Message> message = std::move(found->second);
  arrived_.erase(found);
  return message;
}

std::optional<index> Channel::arrive(Message& message) {
  if (const auto found = expected_.find(message.sequence); found != expected_.end()) {
    const index request = found->second;
    expected_.erase(found);
    return request;
  }
  if (message.sequence < asked_for_ || arrived(message.sequence))
    throw KernelFault("duplicate-message",
                      fmt::format("{}, sent by rank {} at {}, came to rank {} twice", message.signature.text(),
                                  message.source, message.signature.where.text(), message.destination));
  arrived_.emplace(message.sequence, std::move(message));
  return std::nullopt;
}

}  // namespace attestone::inline backends
