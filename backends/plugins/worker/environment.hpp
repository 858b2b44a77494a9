// SPDX-License-Identifier: Apache-2.0
// The state, besides memory, that a library shares with its caller and must leave as it found it.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

namespace attestone::inline backends::worker {

/// The state of a process, and of the calling thread, that calls must not change. What a library changes when it is
/// loaded is its own affair: one that is built with -ffast-math flushes subnormal numbers from then on, which a right
/// kernel may do.
class Environment {
 public:
  static Environment now();

  /// Words for the first thing in which they differ, null if there is none.
  const char* difference(const Environment& other) const;

 private:
  std::uint64_t floating_point_ = 0;  ///< rounding, subnormal numbers, traps; not the flags
  struct stat directory_ {};
  mode_t new_files_ = 0;
  std::string locale_;
  sigset_t blocked_{};
  rlimit descriptors_{};
};

}  // namespace attestone::inline backends::worker
