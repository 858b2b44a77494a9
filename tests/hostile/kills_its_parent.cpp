// SPDX-License-Identifier: Apache-2.0
// Kills the process that watches it.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  kill(getppid(), SIGKILL);
  sleep(10);
  return hostile::answer(args);
}
