// SPDX-License-Identifier: Apache-2.0
// Looking, waiting, and looking again.
#include "backends/plugins/process/left_behind.hpp"

#include <algorithm>

#include "backends/plugins/process/process_tree.hpp"

namespace attestone::inline backends {
namespace {

using std::chrono::milliseconds;

constexpr int patience_with_processes_ms = 50;  // for one that is ending
constexpr int patience_with_threads_ms = 500;   // longer than pools spin before they sleep
constexpr int glance_ms = 1, look_ms = 50;
// The largest share of a look that is no work: timers of runtimes stay below it, threads with naps do not.
constexpr int most_percent = 2;
// On a busy machine a thread may not have had the time to fall asleep.
constexpr int patience_with_machine_ms = 5000;
constexpr milliseconds least_work{20};

}  // namespace

bool leaves_process(pid_t ancestor, const std::vector<pid_t>& known, const Waiting& wait) {
  for (int waited = 0;; ++waited) {
    const std::vector<pid_t> all = descendants_of(ancestor);
    const bool one_is_left = std::any_of(all.begin(), all.end(), [&](pid_t process) {
      return std::find(known.begin(), known.end(), process) == known.end() && lives(process);
    });
    if (!one_is_left) return false;
    if (waited == patience_with_processes_ms) return true;
    wait(1);
  }
}

bool leaves_thread(pid_t process, bool thorough, const Waiting& wait) {
  OtherThreads before = other_threads(process);
  if (before.count == 0) return false;
  const auto worked_before = before.processor;
  int window_ms = thorough ? look_ms : glance_ms;
  for (int waited = 0;;) {
    wait(window_ms);
    waited += window_ms;
    const OtherThreads after = other_threads(process);
    const auto worked = after.processor - before.processor;
    const bool quiet = !(before.runs && after.runs) && worked * 100 <= milliseconds(window_ms) * most_percent;
    if (quiet) return false;
    const bool worked_enough = after.processor - worked_before >= least_work;
    if (waited >= (worked_enough ? patience_with_threads_ms : patience_with_machine_ms)) return true;
    before = after;
    window_ms = look_ms;
  }
}

}  // namespace attestone::inline backends
