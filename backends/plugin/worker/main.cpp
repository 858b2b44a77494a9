// SPDX-License-Identifier: Apache-2.0
// The worker: a keeper that starts one process, tells how it ended, and leaves nothing of it behind.
//
//     attestone_worker plugin PATH        calls come in on wire::call_descriptor
//     attestone_worker program COMMAND    standard input and output are the program's
//
// The keeper lives until attestone closes its end of wire::keeper_descriptor, however attestone ends.
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

#include "backends/plugin/wire.hpp"
#include "backends/plugin/worker/left_behind.hpp"
#include "backends/plugin/worker/runner.hpp"

namespace {

using namespace attestone;

/// In the process that is kept. Orphans of what the kernel starts come to it, so that none is overlooked.
int run_kept(const char* kind, char* argument, const sigset_t& signals) {
  close(wire::keeper_descriptor);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  setpgid(0, 0);  // what the kernel sends to its group does not reach the keeper
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Threads of a pool wait asleep, unless the user wants it otherwise.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("KMP_BLOCKTIME", "0", 0);
  if (std::strcmp(kind, "plugin") == 0) {
    const int nothing = open("/dev/null", O_RDONLY);  // whatever attestone reads is not the kernel's
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    return worker::run_plugin(argument);
  }
  execl("/bin/sh", "sh", "-c", argument, nullptr);
  return EXIT_FAILURE;
}

void tell(const wire::Kept& message) { send(wire::keeper_descriptor, &message, sizeof message, MSG_NOSIGNAL); }

/// Buries what has ended; tells when that is the kept process.
void bury(pid_t kept) {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
    if (ended == kept) tell({kept, 1, status});
}

void keep(pid_t kept, int child_events) {
  tell({kept, 0, 0});
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
  if (count != 3) return EXIT_FAILURE;
  sigset_t child_ended, before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t kept = fork();
  if (kept == 0) return run_kept(arguments[1], arguments[2], before);
  // Whoever reads the other end of these must see them end with the process that uses them.
  for (const int used : {STDIN_FILENO, STDOUT_FILENO, wire::call_descriptor}) close(used);
  if (kept > 0) keep(kept, signalfd(-1, &child_ended, SFD_CLOEXEC));
  worker::kill_descendants();
  return EXIT_SUCCESS;
}
