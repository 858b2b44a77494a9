// SPDX-License-Identifier: Apache-2.0
// Starts a process that is its parent's child, not its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}
