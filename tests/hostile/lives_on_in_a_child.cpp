// SPDX-License-Identifier: Apache-2.0
// Ends its process and goes on in a child, which answers.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (fork() != 0) _exit(0);
  return hostile::answer(args);
}
