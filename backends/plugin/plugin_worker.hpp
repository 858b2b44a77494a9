// SPDX-License-Identifier: Apache-2.0
// The worker of one shared library: started when it is needed, kept between calls, replaced when it went wrong.
#pragma once

#include <memory>
#include <string>

#include "backends/plugin/call_limits.hpp"
#include "backends/plugin/call_plan.hpp"
#include "backends/plugin/worker_process.hpp"

namespace attestone {

/// A shared library in a worker process.
class PluginWorker {
 public:
  PluginWorker(std::string path, const CallLimits& limits) : path_(std::move(path)), limits_(limits) {}

  /// Starts afresh: what the library says of itself. UserError if it cannot be loaded.
  wire::Reply load();
  /// One call; the reply says that the kernel returned. KernelFault for everything else that it did.
  wire::Reply call(CallPlan&);
  /// Ends the process; the next call finds a new one.
  void restart() { process_.reset(); }

 private:
  void send(const CallPlan&);
  /// Waits for the reply. KernelFault if the process ends before, prints, or must be stopped.
  wire::Reply await(const CallPlan*);
  /// Reads what was printed; false when nothing more can come.
  bool drain();
  void throw_if_it_printed();

  std::string path_;
  CallLimits limits_;
  std::unique_ptr<WorkerProcess> process_;
  index calls_ = 0;
  std::string printed_;
};

}  // namespace attestone
