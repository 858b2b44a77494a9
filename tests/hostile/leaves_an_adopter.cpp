// SPDX-License-Identifier: Apache-2.0
// Leaves a process in a session of its own that adopts whatever its own children leave.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) {
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0 && fork() == 0) sleep(3600);
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}
