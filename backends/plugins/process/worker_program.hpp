// SPDX-License-Identifier: Apache-2.0
// The program in which outside kernels run: where it lies, and how it is spawned.
#pragma once

#include <spawn.h>
#include <string>
#include <sys/types.h>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline backends {

/// The start of a spawned worker: its descriptors, its signals.
class WorkerProgram {
 public:
  WorkerProgram();
  ~WorkerProgram();
  WorkerProgram(const WorkerProgram&) = delete;
  WorkerProgram& operator=(const WorkerProgram&) = delete;

  void hand_over(const Descriptor& ours, int number);
  /// SystemFailure if it is not there or cannot be started.
  pid_t spawn(std::string kind, std::string argument, std::string threads);

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace attestone::inline backends
