// SPDX-License-Identifier: Apache-2.0
// The standing of a rank at this moment: memory that it shares with the judge, who looks when no answer comes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace attestone::inline backends {

/// Written by one rank. The judge reads it when nothing has moved for long, or the rank is gone.
class RankStanding {
 public:
  enum State : std::uint32_t {
    idle,      ///< has no call to answer
    works,     ///< computes, or is not there yet
    waits,     ///< for messages, as said()
    ended,     ///< its program has, and it has answered
    told_away  ///< mpirun has told it to go: another rank has ended before
  };

  State state() const { return static_cast<State>(state_.load(std::memory_order_acquire)); }
  std::string said() const { return std::string(said_, strnlen(said_, sizeof said_)); }

  void set(State state) { state_.store(state, std::memory_order_release); }
  void wait_for(std::string_view what) {
    const std::size_t length = std::min(what.size(), sizeof said_ - 1);
    std::memcpy(said_, what.data(), length);
    said_[length] = '\0';
    set(waits);
  }

 private:
  std::atomic<std::uint32_t> state_;
  char said_[508];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(RankStanding) == 512);

}  // namespace attestone::inline backends
