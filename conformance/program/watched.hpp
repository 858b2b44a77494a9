// SPDX-License-Identifier: Apache-2.0
// Watched runs: kernels judged in a thread of its own, while this one listens to signals and looks at the clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/program/watched_thread.hpp"
#include "conformance/run/exit_status.hpp"
#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// The kernels to judge, their options, and the time for all of them together.
struct WatchedWork {
  std::function<std::vector<Candidate>()> kernels;  ///< called in the other thread: loading may take long as well
  std::function<RunOptions(const Kernel&)> options_of;
  std::optional<double> budget_seconds = {};
};

/// Judges the kernels one after the other until all are judged, until SIGINT, SIGTERM or SIGHUP, or until the budget is
/// used up. Between cases, in shrinking and in calls of outside kernels stopping takes a moment; what does not return
/// within a second, a long truth or a kernel in this process, is abandoned. A second signal ends the process at once.
/// An exception that leaves a thread of a parallel region, which nobody can catch, ends the run as our own failure.
class WatchedRuns {
 public:
  /// Returns when judging is over or abandoned. Rethrows what the work throws.
  explicit WatchedRuns(WatchedWork);
  ~WatchedRuns();
  WatchedRuns(const WatchedRuns&) = delete;
  WatchedRuns& operator=(const WatchedRuns&) = delete;

  /// One run for each kernel, begun or not; none if loading the kernels was cut short.
  std::vector<KernelRun> results() const;

  /// Returns the status of `write_report`. Abandoned work still runs in its thread; if there is any, ends the processes
  /// of outside kernels and then this process, with that status and without destructors.
  ExitStatus end_with(const std::function<ExitStatus()>& write_report) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  WatchedThread thread_;
};

}  // namespace attestone::inline conformance
