// SPDX-License-Identifier: Apache-2.0
// The worker of one shared library: started when it is needed, kept between calls, replaced when it went wrong.
#pragma once

#include <memory>
#include <string>

#include "backends/plugins/process/call_watch.hpp"
#include "backends/plugins/process/waiting_place.hpp"
#include "backends/plugins/process/worker_process.hpp"
#include "backends/plugins/protocol/call_limits.hpp"
#include "backends/plugins/shared_library/call_plan.hpp"
#include "backends/plugins/shared_library/library_copy.hpp"

namespace attestone::inline backends {

/// A shared library in a worker process.
class PluginWorker {
 public:
  /// The library in the file that was copied; its processes begin with the number of threads in OMP_NUM_THREADS.
  PluginWorker(std::shared_ptr<const LibraryCopy> library, const CallLimits& limits, int threads)
      : library_(std::move(library)), limits_(limits), threads_(threads) {}

  /// Starts afresh: what the library says of itself. UserError if it cannot be loaded.
  wire::Reply load();
  /// One call; the reply says that the kernel returned. KernelFault for everything else that it did.
  wire::Reply call(CallPlan&);
  /// Ends the process; the next call finds a new one.
  void restart() { process_.reset(); }
  /// True if any of its processes was seen to hold attestone's library.
  bool uses_attestone() const { return uses_attestone_; }

 private:
  /// Starts a process and lets it load the library. KernelFault if it ends over that.
  wire::Reply start();
  void send(const wire::Call&, std::initializer_list<int> descriptors) const;
  /// Waits for the reply. KernelFault if the process ends before, prints, or must be stopped.
  wire::Reply await(const CallWatch&, std::uint64_t nonce, const CallPlan*);
  /// After the reply: KernelFault if the call has not returned, or left something behind.
  void settle(const CallWatch&, const CallPlan&);
  /// Takes a message of the worker's if there is one. KernelFault if it is none of the protocol.
  std::optional<wire::Reply> receive();
  /// Notes what a signal's handler says. KernelFault if the process has ended.
  void hear_of_the_end(const CallPlan*);
  /// Reads what was printed; false when nothing more can come.
  bool drain();
  void throw_if_it_printed();

  std::shared_ptr<const LibraryCopy> library_;
  CallLimits limits_;
  int threads_;
  std::unique_ptr<WorkerProcess> process_;
  WaitingPlace place_;
  std::optional<wire::Reply> signalled_;  ///< what the process last said of a signal
  index calls_ = 0;
  std::string printed_;
  bool uses_attestone_ = false;
};

}  // namespace attestone::inline backends
