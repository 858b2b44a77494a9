// SPDX-License-Identifier: Apache-2.0
// All that can happen next in a world, and the choice among it: by the seed alone.
#pragma once

#include <coroutine>
#include <optional>
#include <vector>

#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {

/// A coroutine of a rank goes on, or a message reaches it.
struct Event {
  index rank = 0;
  std::coroutine_handle<> resumes;  ///< null for a message
  std::optional<Message> arrives;
};

/// The events that can happen next, in an order that a seed decides.
class Events {
 public:
  Events(std::uint64_t seed, const Faults& faults) : seed_(seed), faults_(faults) {}

  void ready(index rank, std::coroutine_handle<> coroutine) { ready_.push_back({rank, coroutine}); }
  void send(Message message) { on_the_way_.push_back(std::move(message)); }
  /// This coroutine is no more.
  void forget(std::coroutine_handle<>);

  bool empty() const { return ready_.empty() && on_the_way_.empty(); }
  /// One of them, which is taken out.
  Event next();

  index count() const { return count_; }
  /// The digest of all payloads and of all events so far, in order. No address, time or compiler influences it.
  std::uint64_t digest() const { return digest_; }

 private:
  struct Ready {
    index rank;
    std::coroutine_handle<> coroutine;
  };
  std::size_t chosen();
  bool held_back(std::size_t candidate) const;
  void note(std::initializer_list<std::uint64_t>);

  std::uint64_t seed_;
  const Faults& faults_;
  std::vector<Ready> ready_;
  std::vector<Message> on_the_way_;
  index count_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace attestone::inline simulate
