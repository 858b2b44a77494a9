// SPDX-License-Identifier: Apache-2.0
// An outside kernel's process, with the keeper that leaves nothing of it behind.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "backends/plugin/descriptor.hpp"

namespace attestone {

/// Spawned by construction; ended, with everything it started, by destruction.
class WorkerProcess {
 public:
  enum class Kind {
    plugin,  ///< the argument is a path; calls are messages of backends/plugin/wire.hpp
    program  ///< the argument is a line for sh; calls are what both doors agree on (backends/plugin/frame.hpp)
  };
  WorkerProcess(Kind, const std::string& argument);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t id() const { return process_; }
  /// Where calls go, and replies of a plugin come from; does not block.
  int call() const { return call_.get(); }
  /// What the kernel prints; does not block.
  int output() const { return output_.get(); }
  /// Readable when the process may have ended.
  int keeper() const { return keeper_.get(); }
  /// How the process ended, as of waitpid; nothing while it lives. Asked after keeper() became readable.
  std::optional<int> ended();

 private:
  Descriptor call_, output_, keeper_;
  pid_t keeper_id_ = 0, process_ = 0;
  std::optional<int> status_;
  bool keeper_is_gone_ = false;
};

/// "signal 11 (Segmentation fault)", "exit status 3".
std::string ending_text(int status);

}  // namespace attestone
