// SPDX-License-Identifier: Apache-2.0
// Forks twice, so that its grandchild belongs to nobody, and hides it in a session of its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}
