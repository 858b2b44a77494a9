// SPDX-License-Identifier: Apache-2.0
// Forks twice and declares itself the one that orphans belong to: they never come to the watching process.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}
