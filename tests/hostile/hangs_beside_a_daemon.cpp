// SPDX-License-Identifier: Apache-2.0
// Hangs, and has a process beside it that left its session and its environment, and gave up dying with anybody.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

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
