// SPDX-License-Identifier: Apache-2.0
// Forks, and both processes return from the call; the second one somewhat later.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) sleep(1);
  return hostile::answer(args);
}
