// SPDX-License-Identifier: Apache-2.0
// Kills the process that watches it, gives up dying with it, and never returns.
// expect: crashed|hung --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args*) {
  prctl(PR_SET_PDEATHSIG, 0);
  hostile::signal_keeper(SIGKILL);
  for (;;) pause();
}
