// SPDX-License-Identifier: Apache-2.0
// Waiting for an outside kernel, with an eye on the clock and on its memory.
#pragma once

#include <chrono>
#include <poll.h>
#include <span>
#include <sys/types.h>

#include "backends/plugin/call_limits.hpp"

namespace attestone {

/// One call's time, from construction on.
class CallWatch {
 public:
  /// `shared_bytes`: of the tensors, which count as resident in the process that touches them.
  CallWatch(const CallLimits&, pid_t process, index shared_bytes);

  /// Returns when one of the events has happened. KernelFault when the time is over or the memory too much.
  void wait(std::span<pollfd> events) const;

 private:
  CallLimits limits_;
  pid_t process_;
  index shared_bytes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace attestone
