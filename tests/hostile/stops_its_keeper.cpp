// SPDX-License-Identifier: Apache-2.0
// Stops the process that watches it, and hangs.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args*) {
  hostile::signal_keeper(SIGSTOP);
  for (;;) pause();
}
