// SPDX-License-Identifier: Apache-2.0
// A device that does not exist: its requests, its memory, and what it has sent.
#pragma once

#include "backends/device.hpp"
#include "backends/distributed/messages/posted.hpp"

namespace attestone::inline simulate {

struct Engine;

/// One rank of a simulated world.
class SimulatedRank final : public PostingTransport {
 public:
  SimulatedRank(Engine& engine, index rank, FreshMemory fresh, index memory)
      : PostingTransport(rank), communicator(*this, rank), device(fresh, memory), engine_(engine) {}

  void ready(std::coroutine_handle<>) override;
  void dropped(std::coroutine_handle<>, std::exception_ptr failure) noexcept override;
  void begun(const Group&, const Signature&) override;
  index post_send(index to, const Signature&, std::span<const ConstView>) override;
  index post_receive(index from, const Signature&, std::span<const View>) override;

  /// A message has reached the rank. KernelFault for one that is not what it should be.
  void arrives(Message);

  Communicator communicator;
  Device device;
  index resumed = 0;     ///< how often a coroutine of it was
  bool ended = false;    ///< its program has
  bool stopped = false;  ///< by a fault, for ever

 private:
  void note(const KernelFault&) override;
  bool over() const override;
  Signature said(const Signature&) const;
  void receive(const Message&, Posted&);

  Engine& engine_;
};

}  // namespace attestone::inline simulate
