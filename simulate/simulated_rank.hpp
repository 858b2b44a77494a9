// SPDX-License-Identifier: Apache-2.0
// A device that does not exist: its requests, its memory, and what it has sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/device.hpp"
#include "simulate/channel.hpp"

namespace attestone {

struct Engine;

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
/// still here, whatever the seed.
class SimulatedRank final : public Transport {
 public:
  SimulatedRank(Engine& engine, index rank, FreshMemory fresh, index memory)
      : communicator(*this, rank), device(fresh, memory), engine_(engine), rank_(rank) {}

  void ready(std::coroutine_handle<>) override;
  void dropped(std::coroutine_handle<>, std::exception_ptr failure) noexcept override;
  void begun(const Group&, const Signature&) override;
  index post_send(index to, const Signature&, std::span<const ConstView>) override;
  index post_receive(index from, const Signature&, std::span<const View>) override;
  bool finished(index request) const override { return posted_.at(request).finished; }
  void when_finished(index request, std::coroutine_handle<>) override;
  void awaited(index request) override;
  void abandoned(index request) noexcept override;

  /// A message has reached the rank. KernelFault for one that is not what it should be.
  void arrives(Message);

  const std::map<index, Posted>& posted() const { return posted_; }
  const std::map<ChannelName, Channel>& channels() const { return channels_; }

  Communicator communicator;
  Device device;
  std::map<std::string, Traffic> traffic;  ///< by group
  index resumed = 0;                       ///< how often a coroutine of it was
  bool ended = false;                      ///< its program has
  bool stopped = false;                    ///< by a fault, for ever

 private:
  Signature said(const Signature&) const;
  void finish(index request);
  void receive(const Message&, Posted&);

  Engine& engine_;
  index rank_;
  std::map<index, Posted> posted_;
  index requests_ = 0;  ///< so far
  std::map<ChannelName, Channel> channels_;
};

}  // namespace attestone
