// SPDX-License-Identifier: Apache-2.0
// Kills the process that watches it, and goes on as if nothing had happened.
// expect: crashed|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_PDEATHSIG, 0);
  hostile::signal_keeper(SIGKILL);
  return hostile::answer_wrongly(args);
}
