// SPDX-License-Identifier: Apache-2.0
// Kernels that end their process or never return, instead of answering.
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Ends its process, successfully.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
namespace exits {

int attestone_forward(const attestone_args*) { std::exit(0); }

}  // namespace exits

// Replaces its process by another program, which ends well.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
namespace becomes_another_program {

int attestone_forward(const attestone_args*) {
  execl("/bin/true", "true", nullptr);
  return ATTESTONE_OK;
}

}  // namespace becomes_another_program

// Ends the thread that called it: nobody is left to return.
// expect: exited|crashed --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace ends_its_thread {

int attestone_forward(const attestone_args*) { pthread_exit(nullptr); }

}  // namespace ends_its_thread

// Ends its process and goes on in a child, which answers.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
namespace lives_on_in_a_child {

int attestone_forward(const attestone_args* args) {
  if (fork() != 0) _exit(0);
  return hostile::answer(args);
}

}  // namespace lives_on_in_a_child

// Kills every process of its group.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_group {

int attestone_forward(const attestone_args*) {
  kill(0, SIGKILL);
  return ATTESTONE_OK;
}

}  // namespace kills_its_group

// Waits for a flag that nobody sets.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace hangs {

int attestone_forward(const attestone_args*) {
  volatile bool ready = false;
  while (!ready) continue;
  return ATTESTONE_OK;
}

}  // namespace hangs

// Hangs, and has a process beside it that left its session and its environment, and gave up dying with anybody.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace hangs_beside_a_daemon {

int attestone_forward(const attestone_args*) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      char* const no_environment[] = {nullptr};
      execle("/bin/sleep", "sleep", "3600", nullptr, no_environment);
      sleep(3600);  // where no program may be started
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  for (;;) pause();
}

}  // namespace hangs_beside_a_daemon

// Ignores and blocks whatever might end it, and hangs.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace ignores_signals_and_hangs {

int attestone_forward(const attestone_args*) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (;;) sleep(1000);
}

}  // namespace ignores_signals_and_hangs

// Stops its own process, as Ctrl-Z does.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace stops_itself {

int attestone_forward(const attestone_args* args) {
  std::raise(SIGSTOP);
  return hostile::answer(args);
}

}  // namespace stops_itself
