// SPDX-License-Identifier: Apache-2.0
// The requests of a rank to its peers: messages within groups, started and awaited apart.
#pragma once

#include <coroutine>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/distributed/messages/call_site.hpp"
#include "backends/distributed/messages/task.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// Ranks that talk to each other: those along one axis of a mesh, in its order, which is the same for all of them.
struct Group {
  std::string name;            ///< of the axis: "ring"
  std::vector<index> members;  ///< ranks
  index place = 0;             ///< of the rank itself among them

  index size() const { return static_cast<index>(members.size()); }
  /// The place so many steps further on, round the group.
  index beside(index steps) const { return ((place + steps) % size() + size()) % size(); }
  index rank_at(index at) const { return members[static_cast<std::size_t>(at)]; }
};

/// The description of a message, in addition to its payload. Both ends of a message must say the same, but for `where`.
struct Signature {
  std::string operation;  ///< "permute"
  std::string group;      ///< "ring"
  index number = 0;       ///< how many operations this rank had begun in the group before
  std::string dtype;      ///< of the elements: "f32"
  index count = 0;        ///< of elements
  CallSite where;

  /// "permute 3 of group ring, 96 x bf16"
  std::string text() const;
};

/// The carrier of messages: the simulated world, or real processes. One for each rank.
class Transport : public Scheduler {
 public:
  /// The rank begins this operation, of which dtype and count are not known yet. All members of a group begin the same
  /// ones in the same order.
  virtual void begun(const Group&, const Signature&) = 0;
  /// Takes a copy of what the views hold at this moment; they stay as they are until the request has been awaited.
  /// Returns the number of the request, which may not be finished before the other end has received.
  virtual index post_send(index to, const Signature&, std::span<const ConstView>) = 0;
  /// The views are written at any time from now until the request has been awaited.
  /// Their contents until then are undefined.
  virtual index post_receive(index from, const Signature&, std::span<const View>) = 0;

  virtual bool finished(index request) const = 0;
  /// Makes this coroutine ready when the request is finished.
  virtual void when_finished(index request, std::coroutine_handle<>) = 0;
  /// Called once for each request, when it has been awaited: throws what went wrong with it.
  virtual void awaited(index request) = 0;
  /// Called instead if the request is destroyed before that: a mistake of the program's.
  virtual void abandoned(index request) noexcept = 0;
};

/// A send or a receive that is under way. It is awaited once, and before what it reads or writes goes away.
class [[nodiscard]] Request {
 public:
  Request(Transport& transport, index number) : transport_(&transport), number_(number) {}
  Request(Request&& other) noexcept : transport_(std::exchange(other.transport_, nullptr)), number_(other.number_) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(transport_, other.transport_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~Request() {
    if (transport_) transport_->abandoned(number_);
  }

  bool await_ready() const { return transport_->finished(number_); }
  void await_suspend(std::coroutine_handle<> waiting) { transport_->when_finished(number_, waiting); }
  void await_resume() { std::exchange(transport_, nullptr)->awaited(number_); }

 private:
  Transport* transport_;
  index number_;
};

/// Several requests, awaited one after the other.
Task<> all_of(std::vector<Request>);

/// One rank's side of all communication. Collectives (collectives.hpp) are written over send and receive.
class Communicator {
 public:
  Communicator(Transport& transport, index rank) : transport_(transport), rank_(rank) {}

  index rank() const { return rank_; }
  Transport& transport() const { return transport_; }

  /// The next operation in this group: its messages carry its name and number.
  Signature begin(const Group&, std::string operation, CallSite);
  /// One message of an operation, to or from the member at this place. `views` together are its payload, of one dtype.
  Request send(const Group&, index to, const Signature&, std::span<const ConstView> views);
  Request receive(const Group&, index from, const Signature&, std::span<const View> views);

 private:
  Transport& transport_;
  index rank_;
  std::map<std::pair<std::string, std::vector<index>>, index> begun_;  ///< operations, by name and members of the group
};

}  // namespace attestone::inline backends
