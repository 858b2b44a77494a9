// SPDX-License-Identifier: Apache-2.0
// Two threads: one works, the other waits for it, for a signal, or for the end of the budget.
#include "conformance/program/watched_thread.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "backends/plugins/process/live_keepers.hpp"
#include "backends/stop_request.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/trial/blame.hpp"

namespace attestone::inline conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds glance{20};
// What the working thread gets to stop by itself before it is asked to, and before it is abandoned.
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
  const std::exception_ptr thrown = std::current_exception();
  const std::string cause = thrown ? blame(thrown).says : "an exception that nobody caught";
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

/// The state that both threads share. The working thread keeps it alive, even if it is abandoned.
struct Shared {
  std::function<void()> work;
  std::mutex mutex;  // of what follows
  std::condition_variable over;
  bool done = false;
  std::exception_ptr thrown;

  void run() {
    try {
      work();
    } catch (const Stopped&) {
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    over.notify_one();
  }
};

}  // namespace

WatchedThread::WatchedThread(std::function<void()> work, std::optional<double> budget_seconds) {
  const auto begin = Clock::now();
  const auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  listen();
  std::thread working([shared] { shared->run(); });
  std::optional<Clock::time_point> asked;
  {
    std::unique_lock lock(shared->mutex);
    while (!shared->done && !abandoned_) {
      shared->over.wait_for(lock, glance);
      const double spent = Seconds(Clock::now() - begin).count();
      if (budget_seconds && spent > *budget_seconds + grace_after_budget.count()) ask_to_stop();
      if (stop_is_asked() && !asked) asked = Clock::now();
      abandoned_ = !shared->done && (uncaught_seen || (asked && Clock::now() - *asked > patience));
    }
  }
  if (abandoned_) {
    working.detach();
    return;
  }
  working.join();
  if (shared->thrown) std::rethrow_exception(shared->thrown);
}

CutShort WatchedThread::reason() const {
  if (uncaught_seen) return CutShort::own_failure;
  return signal_seen ? CutShort::interrupted : CutShort::budget;
}

std::string WatchedThread::uncaught() const { return uncaught_seen ? uncaught_cause.data() : ""; }

ExitStatus WatchedThread::end_with(const std::function<ExitStatus()>& write_report) const {
  if (!abandoned_) return write_report();
  const ExitStatus status = ended(write_report);
  end_keepers();
  _exit(static_cast<int>(status));
}

}  // namespace attestone::inline conformance
