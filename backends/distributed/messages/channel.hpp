// SPDX-License-Identifier: Apache-2.0
// Which message belongs to which receive: that of the same number between the same two ranks in the same group.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/distributed/messages/message.hpp"

namespace attestone::inline backends {

/// The requests that one rank has posted, and the messages that have reached it, in one group and from and to one peer.
class Channel {
 public:
  /// The number of the next message that the rank sends to the peer.
  index next_sent() { return sent_++; }

  /// The next receive. Answers the message if that has arrived already; else `request` waits for it.
  std::optional<Message> expect(index request);
  /// A message comes. Answers the request that waits for it; without one, the message is kept. KernelFault if it has
  /// come before.
  std::optional<index> arrive(Message&);

  index sent() const { return sent_; }
  index asked_for() const { return asked_for_; }
  bool arrived(index sequence) const { return arrived_.contains(sequence); }
  /// The messages that have arrived and that nobody has asked for.
  const std::map<index, Message>& left() const { return arrived_; }

 private:
  index sent_ = 0, asked_for_ = 0;   ///< messages
  std::map<index, index> expected_;  ///< requests, by the message's number
  std::map<index, Message> arrived_;
};

/// A peer, and a group.
using ChannelName = std::pair<index, std::string>;

}  // namespace attestone::inline backends
