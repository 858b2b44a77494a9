// SPDX-License-Identifier: Apache-2.0
// Leaves a process that is stopped: it uses no time, and would not end by a polite signal.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    std::raise(SIGSTOP);
    sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, WUNTRACED);
  return hostile::answer(args);
}
