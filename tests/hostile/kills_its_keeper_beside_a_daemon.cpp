// SPDX-License-Identifier: Apache-2.0
// Starts three processes in sessions of their own, kills the one that watches them all, and goes on.
// expect: crashed|left-process|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_PDEATHSIG, 0);
  for (int i = 0; i < 3; ++i)
    if (fork() == 0) {
      setsid();
      sleep(3600);
      _exit(0);
    }
  hostile::signal_keeper(SIGKILL);
  return hostile::answer_wrongly(args);
}
