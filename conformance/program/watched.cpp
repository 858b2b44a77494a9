// SPDX-License-Identifier: Apache-2.0
// Two threads: one judges, the other waits for it, for a signal, or for the end of the budget.
#include "conformance/program/watched.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "backends/doors/process/live_keepers.hpp"
#include "backends/stop_request.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/run/case.hpp"
#include "conformance/run/ledger.hpp"

namespace attestone {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds glance{20};
// What the judging thread gets to stop by itself before it is asked to, and before it is abandoned.
constexpr Seconds grace_after_budget{0.25}, patience{1.0};

constexpr int heard_signals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t signal_seen = 0;

/// The next signal ends the process.
void note_signal(int signal) {
  signal_seen = signal;
  ask_to_stop();
  for (const int heard : heard_signals) std::signal(heard, SIG_DFL);
}

// What nobody could catch: an exception in a thread of a parallel region, whoever threw it.
std::array<char, 200> uncaught_cause{};
std::atomic<bool> uncaught_seen = false;
std::thread::id listening_thread;

/// In place of std::abort: leaves it to the listening thread to write what there is.
[[noreturn]] void note_uncaught() {
  if (std::this_thread::get_id() == listening_thread) std::abort();
  std::string cause = "an exception that nobody caught";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    cause = cause_of(error);
  } catch (...) {
  }
  static std::once_flag once;
  std::call_once(once, [&] {
    std::copy_n(cause.begin(), std::min(cause.size(), uncaught_cause.size() - 1), uncaught_cause.begin());
    uncaught_seen = true;
  });
  for (;;) pause();
}

void listen() {
  listening_thread = std::this_thread::get_id();
  std::set_terminate(note_uncaught);
  for (const int heard : heard_signals)
    // Under nohup a run outlives its terminal.
    if (std::signal(heard, note_signal) == SIG_IGN && heard == SIGHUP) std::signal(heard, SIG_IGN);
}

}  // namespace

/// What both threads know. The judging thread holds it alive, should it be abandoned.
struct WatchedRuns::Shared {
  explicit Shared(WatchedWork given) : work(std::move(given)) {}

  /// In the judging thread.
  void judge_all() {
    try {
      std::vector<Candidate> loaded = work.kernels();
      {
        const std::lock_guard lock(mutex);
        kernels = std::move(loaded);
      }
      for (const Candidate& candidate : kernels) judge_one(candidate);
    } catch (const Stopped&) {  // while kernels were loaded
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    over.notify_one();
  }

  void judge_one(const Candidate& candidate) {
    RunOptions options = work.options_of(*candidate.kernel);
    options.interrupted = stop_is_asked;
    if (work.budget_seconds) options.budget_seconds = *work.budget_seconds - spent();
    {
      const std::lock_guard lock(mutex);
      ledgers.push_back(std::make_unique<Ledger>(candidate));
    }
    examine(*candidate.kernel, options, *ledgers.back());
  }

  double spent() const { return Seconds(Clock::now() - begin).count(); }
  CutShort reason() const {
    if (uncaught_seen) return CutShort::own_failure;
    return signal_seen ? CutShort::interrupted : CutShort::budget;
  }

  const WatchedWork work;
  const Clock::time_point begin = Clock::now();
  std::mutex mutex;  // of what follows
  std::condition_variable over;
  bool done = false;
  std::exception_ptr thrown;
  std::vector<Candidate> kernels;  // not changed any more when the first ledger is there
  std::vector<std::unique_ptr<Ledger>> ledgers;
};

WatchedRuns::WatchedRuns(WatchedWork work) : shared_(std::make_shared<Shared>(std::move(work))) {
  listen();
  std::thread judging([shared = shared_] { shared->judge_all(); });
  std::optional<Clock::time_point> asked;
  {
    std::unique_lock lock(shared_->mutex);
    while (!shared_->done && !abandoned_) {
      shared_->over.wait_for(lock, glance);
      const auto& budget = shared_->work.budget_seconds;
      if (budget && shared_->spent() > *budget + grace_after_budget.count()) ask_to_stop();
      if (stop_is_asked() && !asked) asked = Clock::now();
      abandoned_ = !shared_->done && (uncaught_seen || (asked && Clock::now() - *asked > patience));
    }
  }
  if (abandoned_) {
    judging.detach();
    return;
  }
  judging.join();
  if (shared_->thrown) std::rethrow_exception(shared_->thrown);
}

WatchedRuns::~WatchedRuns() = default;

std::vector<KernelRun> WatchedRuns::results() const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<KernelRun> runs;
  for (const auto& ledger : shared_->ledgers) runs.push_back(ledger->snapshot());
  for (std::size_t number = runs.size(); number < shared_->kernels.size(); ++number)
    runs.push_back(Ledger(shared_->kernels[number]).snapshot());
  // The one that was abandoned, and those that were not begun, do not know it themselves.
  const std::size_t judged = shared_->ledgers.size() - (abandoned_ && !shared_->ledgers.empty() ? 1 : 0);
  for (std::size_t number = judged; number < runs.size(); ++number)
    runs[number].complete = false, runs[number].cut_short = shared_->reason();
  if (uncaught_seen && judged < runs.size()) runs[judged].own_failures.emplace_back(uncaught_cause.data());
  return runs;
}

ExitStatus WatchedRuns::end_with(const std::function<ExitStatus()>& write_report) const {
  if (!abandoned_) return write_report();
  const ExitStatus status = ended(write_report);
  end_keepers();
  _exit(static_cast<int>(status));
}

}  // namespace attestone
