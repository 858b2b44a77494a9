// SPDX-License-Identifier: Apache-2.0
// The worker: a keeper that starts one process, tells how it ended, and leaves nothing of it behind.
//
//     attestone_worker plugin PATH THREADS        calls come in on wire::call_descriptor
//     attestone_worker program COMMAND THREADS    standard input and output are the program's
//
// The keeper lives until attestone closes its end of wire::keeper_descriptor, however attestone ends. Where the system
// permits it, the keeper is the first of a world of processes of its own, all of which end with it.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/plugins/protocol/wire.hpp"
#include "backends/plugins/worker/confinement.hpp"
#include "backends/plugins/worker/filter.hpp"
#include "backends/plugins/worker/left_behind.hpp"
#include "backends/plugins/worker/runner.hpp"

namespace {

using namespace attestone;

void tell(const wire::Kept& message) { send(wire::keeper_descriptor, &message, sizeof message, MSG_NOSIGNAL); }

/// In the process that is kept; the measures in `begun` hold already.
int run_kept(bool plugin, const char* argument, const char* threads, worker::Protected what, wire::Kept begun) {
  setpgid(0, 0);  // what the kernel sends to its group does not reach the keeper
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 1);  // attestone looks where it waits; the keeper stays closed
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Threads of a pool wait asleep, unless the user wants it otherwise.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("KMP_BLOCKTIME", "0", 0);
  if (std::atoi(threads) > 0) setenv("OMP_NUM_THREADS", threads, 1);
  if (worker::drop_privileges()) begun.measures |= wire::few_privileges;
  if (worker::settings_are_closed()) begun.measures |= wire::settings_closed;
  const auto begin = [&](const std::byte* from, const std::byte* to) {
    what.begin = from, what.end = to;
    if (worker::filter_calls(what)) begun.measures |= wire::calls_filtered | (from ? wire::faults_kept : 0u);
    tell(begun);
    close(wire::keeper_descriptor);
  };
  if (plugin) {
    const int nothing = open("/dev/null", O_RDONLY);  // whatever attestone reads is not the kernel's
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    return worker::run_plugin(argument, begin);
  }
  begin(nullptr, nullptr);
  execl("/bin/sh", "sh", "-c", argument, nullptr);
  return EXIT_FAILURE;
}

/// Buries what has ended; tells when that is the kept process.
void bury(pid_t kept) {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG | __WALL)) > 0;)
    if (ended == kept) tell({0, {}, 1, status});
}

void keep(pid_t kept, int child_events) {
  pollfd events[] = {{wire::keeper_descriptor, POLLIN, 0}, {child_events, POLLIN, 0}};
  for (;;) {
    if (poll(events, 2, -1) < 0 && errno != EINTR) return;
    if (events[0].revents) return;
    signalfd_siginfo event;
    if (events[1].revents && read(child_events, &event, sizeof event) > 0) bury(kept);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return EXIT_FAILURE;
  const bool plugin = std::strcmp(arguments[1], "plugin") == 0;
  wire::Kept begun;
  if (worker::close_descriptors_from(wire::keeper_descriptor + 1)) begun.measures |= wire::descriptors_closed;
  if (!plugin) close(wire::call_descriptor);
  const pid_t judge = getppid();
  begun.refused = worker::fork_into_own_processes();
  const bool own_processes = begun.refused.step == wire::Step::done;
  prctl(PR_SET_DUMPABLE, 0);  // nobody looks into the keeper
  if (own_processes) begun.measures |= wire::own_processes;

  sigset_t child_ended, before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans of what the kernel starts come to the keeper
  const worker::Protected what{getpid(), own_processes ? 0 : judge, own_processes};
  const pid_t kept = fork();
  if (kept == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return run_kept(plugin, arguments[2], arguments[3], what, begun);
  }
  // Whoever reads the other end of these must see them end with the process that uses them.
  for (const int used : {STDIN_FILENO, STDOUT_FILENO, wire::call_descriptor}) close(used);
  if (kept > 0) keep(kept, signalfd(-1, &child_ended, SFD_CLOEXEC));
  worker::kill_descendants();
  return EXIT_SUCCESS;
}
