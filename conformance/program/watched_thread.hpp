// SPDX-License-Identifier: Apache-2.0
// A watched thread: work goes on in a thread of its own, while this one listens to signals and looks at the clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "conformance/run/exit_status.hpp"
#include "conformance/run/kernel_run.hpp"

namespace attestone::inline conformance {

/// Runs work until it is done, until SIGINT, SIGTERM or SIGHUP, or until the budget is used up; it is then asked to
/// stop (backends/stop_request.hpp). What does not return within a second is abandoned. A second signal ends the
/// process at once. An exception that leaves a thread of a parallel region, which nobody can catch, ends it as our own
/// failure.
class WatchedThread {
 public:
  /// Returns when the work is over or abandoned. Rethrows what it throws, except Stopped. The work must own what it
  /// uses, because it goes on after it was abandoned.
  explicit WatchedThread(std::function<void()> work, std::optional<double> budget_seconds = {});
  ~WatchedThread() = default;
  WatchedThread(const WatchedThread&) = delete;
  WatchedThread& operator=(const WatchedThread&) = delete;

  bool abandoned() const { return abandoned_; }
  /// Why the work was asked to stop.
  CutShort reason() const;
  /// The cause of an exception that nobody caught; empty if there was none.
  std::string uncaught() const;

  /// Returns the status of `write_report`. Abandoned work still runs in its thread; if there is any, ends the processes
  /// of outside kernels and then this process, with that status and without destructors.
  ExitStatus end_with(const std::function<ExitStatus()>& write_report) const;

 private:
  bool abandoned_ = false;
};

}  // namespace attestone::inline conformance
