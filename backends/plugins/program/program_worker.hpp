// SPDX-License-Identifier: Apache-2.0
// A program behind a pipe: started when it is needed, kept between calls, replaced when it went wrong.
#pragma once

#include <memory>
#include <string>

#include "backends/plugins/process/worker_process.hpp"
#include "backends/plugins/program/frame.hpp"
#include "backends/plugins/protocol/call_limits.hpp"
#include "reference/files/safetensors.hpp"

namespace attestone::inline backends {

/// A program behind a pipe, in a process of its own.
class ProgramWorker {
 public:
  ProgramWorker(std::string line, const CallLimits& limits) : line_(std::move(line)), limits_(limits) {}

  /// Sends a message and returns the answer, which may have so many bytes. KernelFault if none comes.
  Safetensors ask(const Frame&, std::uint64_t most_bytes);
  /// Ends the process; the next call finds a new one.
  void restart() { process_.reset(); }
  /// True if any of its processes was seen to hold attestone's library.
  bool uses_attestone() const { return uses_attestone_; }

 private:
  std::vector<std::byte> exchange(std::span<const std::byte> request, std::uint64_t most_bytes);

  std::string line_;
  CallLimits limits_;
  std::unique_ptr<WorkerProcess> process_;
  bool uses_attestone_ = false;
};

/// The part of an answer that has arrived so far.
class FrameReader {
 public:
  explicit FrameReader(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Takes what came next. KernelFault if that cannot be the answer.
  void take(std::span<const std::byte>);
  bool complete() const;
  /// The safetensors file of a complete answer.
  std::vector<std::byte> content() const;

 private:
  std::uint64_t most_bytes_;
  std::vector<std::byte> bytes_;
};

}  // namespace attestone::inline backends
