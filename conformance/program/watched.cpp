// SPDX-License-Identifier: Apache-2.0
// Judging the kernels in a watched thread.
#include "conformance/program/watched.hpp"

#include <chrono>
#include <mutex>

#include "backends/stop_request.hpp"
#include "conformance/run/ledger.hpp"

namespace attestone::inline conformance {

/// The state that both threads share. The judging thread keeps it alive, even if it is abandoned.
struct WatchedRuns::Shared {
  explicit Shared(WatchedWork given) : work(std::move(given)) {}

  /// Runs in the judging thread.
  void judge_all() {
    std::vector<Candidate> loaded = work.kernels();
    {
      const std::lock_guard lock(mutex);
      kernels = std::move(loaded);
    }
    for (std::size_t number = 0; number < kernels.size(); ++number)
      judge_one(kernels[number], static_cast<double>(kernels.size() - number));
  }

  /// One of so many that are left: each gets its share of the time that is left.
  void judge_one(const Candidate& candidate, double left) {
    RunOptions options = work.options_of(*candidate.kernel);
    options.interrupted = stop_is_asked;
    if (work.budget_seconds) options.budget_seconds = (*work.budget_seconds - spent()) / left;
    {
      const std::lock_guard lock(mutex);
      ledgers.push_back(std::make_unique<Ledger>(candidate));
    }
    examine(*candidate.kernel, options, *ledgers.back());
  }

  double spent() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  using Clock = std::chrono::steady_clock;
  const WatchedWork work;
  const Clock::time_point begin = Clock::now();
  std::mutex mutex;                // of what follows
  std::vector<Candidate> kernels;  // not changed any more when the first ledger is there
  std::vector<std::unique_ptr<Ledger>> ledgers;
};

WatchedRuns::WatchedRuns(WatchedWork work)
    : shared_(std::make_shared<Shared>(std::move(work))),
      thread_([shared = shared_] { shared->judge_all(); }, shared_->work.budget_seconds) {}

WatchedRuns::~WatchedRuns() = default;

std::vector<KernelRun> WatchedRuns::results() const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<KernelRun> runs;
  for (const auto& ledger : shared_->ledgers) runs.push_back(ledger->snapshot());
  for (std::size_t number = runs.size(); number < shared_->kernels.size(); ++number)
    runs.push_back(Ledger(shared_->kernels[number]).snapshot());
  // The one that was abandoned, and those that were not begun, do not know it themselves.
  const std::size_t judged = shared_->ledgers.size() - (thread_.abandoned() && !shared_->ledgers.empty() ? 1 : 0);
  for (std::size_t number = judged; number < runs.size(); ++number)
    runs[number].complete = false, runs[number].cut_short = thread_.reason();
  if (const std::string cause = thread_.uncaught(); !cause.empty() && judged < runs.size())
    runs[judged].own_failures.push_back(cause);
  return runs;
}

ExitStatus WatchedRuns::end_with(const std::function<ExitStatus()>& write_report) const {
  return thread_.end_with(write_report);
}

}  // namespace attestone::inline conformance
