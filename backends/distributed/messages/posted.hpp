// SPDX-License-Identifier: Apache-2.0
// The common part of all transports: it keeps posted requests until they have been awaited, and sees what goes wrong
// with one request.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/distributed/messages/channel.hpp"
#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {

/// Messages that were posted, and the bytes of their payloads.
struct Traffic {
  index messages = 0, bytes = 0;

  bool operator==(const Traffic&) const = default;
};

/// A send or a receive that has not been awaited.
struct Posted {
  bool sends = false;
  index peer = 0, sequence = 0;
  Signature signature;
  std::vector<ConstView> sent;  ///< of a send
  std::uint64_t content = 0;    ///< hash of what they held
  std::vector<View> received;   ///< of a receive
  bool finished = false;
  std::coroutine_handle<> waiting;

  /// "permute 3 of group ring, 96 x bf16, from rank 2 (ring.cpp:88 forward)"
  std::string text() const;
};

/// A send is finished when it has been received, as late as any real transport may: programs that rely on more stand
/// still.
class PostingTransport : public Transport {
 public:
  explicit PostingTransport(index rank) : rank_(rank) {}

  bool finished(index request) const override { return posted_.at(request).finished; }
  void when_finished(index request, std::coroutine_handle<>) override;
  void awaited(index request) override;
  void abandoned(index request) noexcept override;

  const std::map<index, Posted>& posted() const { return posted_; }
  const std::map<ChannelName, Channel>& channels() const { return channels_; }
  /// The traffic sent so far, by group and in all.
  const std::map<std::string, Traffic>& traffic() const { return traffic_; }
  Traffic sent() const;

 protected:
  /// A mistake of the program's: the first one counts.
  virtual void note(const KernelFault&) = 0;
  /// True once a request that is destroyed is no mistake any more.
  virtual bool over() const = 0;
  /// One that a program may not swallow.
  [[noreturn]] void fail(const KernelFault&);

  /// Notes a send; answers the message that leaves, of the request posted last.
  Message sending(index to, const Signature&, std::span<const ConstView>);
  /// Notes a receive as the request posted last; answers its message if that has arrived already.
  std::optional<Message> receiving(index from, const Signature&, std::span<const View>);
  index posted_last() const { return requests_ - 1; }

  /// The request that a message was waited for by. KernelFault if the message has come before.
  std::optional<index> arrived(Message& message) {
    return channel(message.source, message.signature.group).arrive(message);
  }
  /// KernelFault if both ends do not mean the same.
  void check_agreement(const Message&, const Posted&);
  /// The whole message has come to the request; null if an exception has taken that away.
  Posted* found(index request);
  void take(const Message&, Posted&);
  void finish(Posted&);

  index rank() const { return rank_; }

 private:
  Channel& channel(index peer, const std::string& group) { return channels_[{peer, group}]; }

  index rank_;
  std::map<index, Posted> posted_;
  index requests_ = 0;  ///< so far
  std::map<ChannelName, Channel> channels_;
  std::map<std::string, Traffic> traffic_;
};

}  // namespace attestone::inline backends
