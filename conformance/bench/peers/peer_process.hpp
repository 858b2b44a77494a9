// SPDX-License-Identifier: Apache-2.0
// The process of a peer: lines go in, lines come out, and while others take their turn it is stopped.
#pragma once

#include <map>
#include <string>
#include <sys/types.h>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline conformance {

/// A line for a shell that was started in a process group of its own, with one word more behind it. Destruction ends
/// the group. Should attestone end first, the system does.
class PeerProcess {
 public:
  /// SystemFailure if nothing can be started.
  PeerProcess(const std::string& line, const std::string& word, const std::map<std::string, std::string>& environment);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Sends a line and waits for one. Misbehaved if none comes within `seconds`, or the process ends, with the last that
  /// it wrote to standard error; Stopped if a stop is asked for meanwhile.
  std::string answer(const std::string& line, double seconds);
  /// Waits for a line that nobody asked for.
  std::string line(double seconds);

  /// Between turns no thread of it runs: libraries let theirs spin for a while after a call.
  void pause();
  void resume();

 private:
  [[noreturn]] void throw_ended();

  Descriptor to_, from_, errors_;
  pid_t id_ = 0;
  std::string read_;
};

}  // namespace attestone::inline conformance
