// SPDX-License-Identifier: Apache-2.0
// An outside kernel's process, with the keeper that leaves nothing of it behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "backends/plugins/process/descriptor.hpp"
#include "backends/plugins/process/kernel_words.hpp"
#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends {

/// Spawned by construction; ended, with everything it started, by destruction.
class WorkerProcess {
 public:
  enum class Kind {
    plugin,  ///< the argument is a path; calls are messages of backends/plugins/protocol/wire.hpp
    program  ///< the argument is a line for sh; calls are what both doors agree on (backends/plugins/program/frame.hpp)
  };
  /// SystemFailure if the machine has no room for another process, or no descriptors.
  /// With `threads`, it begins with that number in OMP_NUM_THREADS.
  WorkerProcess(Kind, const std::string& argument, int threads = 0);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// The process in which the kernel runs.
  pid_t id() const { return all_.back(); }
  /// All processes that belong to a worker: below those, and beside the last one, are the kernel's.
  const std::vector<pid_t>& all() const { return all_; }
  /// The measures in force for the process: bits of wire::Measure.
  std::uint32_t measures() const { return begun_.measures; }
  /// Why it has no processes of its own, if it has none.
  wire::Refusal refused() const { return begun_.refused; }

  /// Where calls go, and replies of a plugin come from; does not block.
  int call() const { return call_.get(); }
  /// The pipe of the kernel's output; does not block.
  int output() const { return output_.get(); }
  /// Readable when the process may have ended.
  int keeper() const { return keeper_.get(); }
  /// True if it or what it has started holds attestone's library. Looks now and then: after its first, second, fourth,
  /// eighth, ... call.
  bool maps_own_library();
  /// How the process ended, as of waitpid; nothing while it lives. Asked after keeper() became readable.
  std::optional<int> ended();

 private:
  /// Waits until the process begins. SystemFailure if it does not.
  void await_begin();

  Descriptor call_, output_, keeper_;
  std::optional<KernelWords> words_;
  std::vector<pid_t> all_;  ///< the spawned one first
  wire::Kept begun_;
  std::optional<int> status_;
  bool keeper_is_gone_ = false;
  std::uint64_t calls_ = 0;
};

/// "signal 11 (Segmentation fault)", "exit status 3".
std::string ending_text(int status);

}  // namespace attestone::inline backends
