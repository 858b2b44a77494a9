// SPDX-License-Identifier: Apache-2.0
// Waiting for an outside kernel, with an eye on the clock and on its memory.
#pragma once

#include <chrono>
#include <poll.h>
#include <span>

#include "backends/plugins/process/worker_process.hpp"
#include "backends/plugins/protocol/call_limits.hpp"

namespace attestone::inline backends {

/// One call's time, from construction on; and the memory of everything that the kernel has started.
class CallWatch {
 public:
  /// `shared_bytes`: of the tensors, which count as resident in the process that touches them.
  CallWatch(const CallLimits&, const WorkerProcess&, index shared_bytes);

  /// Returns when one of the events has happened. KernelFault when the time is over or the memory too much,
  /// Stopped when the run is to stop: the call is not over then, and its process is to be ended.
  void wait(std::span<pollfd> events) const;
  /// Returns when one of the events has happened, or after so many milliseconds: whether one has. KernelFault as above.
  bool wait(std::span<pollfd> events, int milliseconds) const;

 private:
  void look() const;

  CallLimits limits_;
  pid_t root_;
  index shared_bytes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace attestone::inline backends
