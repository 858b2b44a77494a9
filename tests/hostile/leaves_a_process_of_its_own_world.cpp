// SPDX-License-Identifier: Apache-2.0
// Leaves a process in a namespace of its own, where it is number one (where the system lets it).
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sched.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const bool alone = unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
  static_cast<void>(alone);
  if (fork() == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}
