// SPDX-License-Identifier: Apache-2.0
// Other processes, as /proc shows them: who descends from whom, what they hold, whether their threads work.
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// The beginning of a file of /proc; empty if it cannot be read.
std::string proc_text(const std::string& path);

/// Every process below this one, children before grandchildren, whatever they did to hide: a process that loses its
/// parent comes to the next one above that takes orphans. Some may have ended, and not been buried.
std::vector<pid_t> descendants_of(pid_t);
/// True if a process has not ended.
bool lives(pid_t);

/// The memory that the processes hold together: anonymous, shared and of mapped files. Never less than they do; where
/// they share much, as after a fork, up to as many times as they are.
index resident_bytes(const std::vector<pid_t>&);
/// Memory behind files that lie on no disk, counted once and whether mapped or not: open ones of memfd_create and in
/// /dev/shm, and all in a /dev/shm that these processes have for themselves.
index memory_file_bytes(const std::vector<pid_t>&);
/// Both together, each shared page counted once: slow. What cannot be asked of a process is taken from
/// resident_bytes().
index proportional_bytes(const std::vector<pid_t>&);

/// The work of a process's threads, without its first one.
struct OtherThreads {
  index count = 0;
  bool runs = false;                      ///< whether one is computing, or could be, right now
  std::chrono::nanoseconds processor{0};  ///< processor time of them all
};
OtherThreads other_threads(pid_t process);

}  // namespace attestone::inline backends
