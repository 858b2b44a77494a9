// SPDX-License-Identifier: Apache-2.0
// Starting workers, and asking what holds for them.
#include "backends/doors/process/measures.hpp"

#include <sys/prctl.h>

#include "backends/doors/call/wire.hpp"
#include "backends/doors/process/waiting_place.hpp"
#include "backends/doors/process/worker_process.hpp"

namespace attestone {

std::vector<IsolationMeasure> isolation_measures() {
  // A worker waits for a word before it loads a library: it need not exist.
  const WorkerProcess worker(WorkerProcess::Kind::plugin, "no library");
  const WaitingPlace place(worker.id());
  const auto holds = [&](wire::Measure measure) { return (worker.measures() & measure) != 0; };
  return {
      {"memory of attestone closed", prctl(PR_GET_DUMPABLE) == 0, "it can read and write attestone's memory"},
      {"own processes", holds(wire::own_processes),
       "it can see, signal and limit its user's processes, as any program can"},
      {"few privileges", holds(wire::few_privileges), "as root, it can open attestone's memory"},
      {"system calls filtered", holds(wire::calls_filtered), "it can end or trace what watches it"},
      {"guard pages kept", holds(wire::faults_kept), "it can blind the guard pages with a signal handler"},
      {"return seen from outside", place.is_known(), "it can write its own reply and never return"},
      {"descriptors closed", holds(wire::descriptors_closed), "it can use what attestone's caller left open"},
  };
}

}  // namespace attestone
