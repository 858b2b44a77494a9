// SPDX-License-Identifier: Apache-2.0
// Starting workers, and asking what holds for them.
#include "backends/plugins/process/measures.hpp"

#include <cstring>
#include <sys/prctl.h>

#include "backends/plugins/process/waiting_place.hpp"
#include "backends/plugins/process/worker_process.hpp"
#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends {
namespace {

std::string needs_of_own_processes(wire::Refusal refused) {
  const std::string namespaces = "user, PID and mount namespaces";
  const std::string why = refused.error == 0 ? "" : std::string(": ") + std::strerror(refused.error);
  switch (refused.step) {
    case wire::Step::ids:
      return "its own user and group in a user namespace" + why;
    case wire::Step::mounts:
      return "a /proc of its own in " + namespaces + why;
    default:
      return namespaces + why;
  }
}

}  // namespace

std::vector<IsolationMeasure> isolation_measures() {
  // A worker waits for a word before it loads a library: it need not exist.
  const WorkerProcess worker(WorkerProcess::Kind::plugin, "no library");
  const WaitingPlace place(worker.id());
  const auto holds = [&](wire::Measure measure) { return (worker.measures() & measure) != 0; };
  return {
      {"memory of attestone closed", prctl(PR_GET_DUMPABLE) == 0, "PR_SET_DUMPABLE",
       "it can read and write attestone's memory"},
      {"own processes", holds(wire::own_processes), needs_of_own_processes(worker.refused()),
       "it can see, signal and limit its user's processes, as any program can"},
      {"few privileges", holds(wire::few_privileges), "fewer capabilities and no_new_privs",
       "as root, it can open attestone's memory"},
      {"settings of the system closed", holds(wire::settings_closed), "mounts in a mount namespace",
       "as root, it can change /proc/sys and write to the system's log"},
      {"system calls filtered", holds(wire::calls_filtered), "a seccomp filter",
       "it can end or trace what watches it, and leave shared memory, queues and keys behind"},
      {"guard pages kept", holds(wire::faults_kept), "a seccomp filter",
       "it can blind the guard pages with a signal handler"},
      {"return seen from outside", place.is_known(), "/proc/PID/syscall",
       "it can write its own reply and never return"},
      {"descriptors closed", holds(wire::descriptors_closed), "close_range",
       "it can use what attestone's caller left open"},
  };
}

}  // namespace attestone::inline backends
