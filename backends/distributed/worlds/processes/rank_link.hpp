// SPDX-License-Identifier: Apache-2.0
// The judge's end of its connection with one rank.
#pragma once

#include <optional>
#include <vector>

#include "backends/plugins/process/descriptor.hpp"
#include "backends/plugins/process/shared_file.hpp"
#include "backends/plugins/program/program_worker.hpp"

namespace attestone::inline backends {

/// Sends a request and reads its answer, a piece at a time, so that no rank holds up another one.
class RankLink {
 public:
  RankLink() = default;
  /// Whoever has come to the meeting point: which rank it is, and what it shares with the judge from now on. Nothing if
  /// it does not say.
  static std::optional<index> greet(const Descriptor&, const SharedFile&);
  void connect(Descriptor);
  bool is_connected() const { return socket_.get() >= 0; }

  void begin(std::vector<std::byte> request);
  /// The events that it waits for, as for poll: to write, to read, or neither.
  int descriptor() const { return complete() ? -1 : socket_.get(); }
  short events() const;
  /// True if the rank was there and is no more.
  bool has_hung_up() const;
  /// Writes and reads what can be; false if the rank has hung up.
  bool go_on();
  /// True if the answer is there, or none is awaited.
  bool complete() const { return !answer_ || answer_->complete(); }
  /// KernelFault if it is none of the protocol.
  Safetensors answer();

 private:
  bool write_some();
  bool read_some();

  Descriptor socket_;
  std::vector<std::byte> request_;
  std::size_t sent_ = 0;
  std::optional<FrameReader> answer_;
};

}  // namespace attestone::inline backends
