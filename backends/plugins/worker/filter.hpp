// SPDX-License-Identifier: Apache-2.0
// The system calls that an outside kernel may not make (seccomp).
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace attestone::inline backends::worker {

/// The processes that the filter protects; its rules hold for a process and all that it starts, for good.
struct Protected {
  pid_t keeper = 0;            ///< as the kernel would name it
  pid_t judge = 0;             ///< 0 if the kernel cannot name it
  bool own_processes = false;  ///< whether all that the kernel can name is the kernel's
  /// Addresses whose mapping only the worker changes; with them go the handlers of SIGSEGV and SIGBUS. Null for
  /// programs.
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

/// From now on, for this process and its children: who signals what is protected ends; tracing, reading and writing
/// other processes fail; so does making namespaces and what outlives every process (shared memory, queues and
/// semaphores with a name, keys), and changing what is protected, but for calls by system_call(). Whether the system
/// took it.
bool filter_calls(const Protected&);

}  // namespace attestone::inline backends::worker
