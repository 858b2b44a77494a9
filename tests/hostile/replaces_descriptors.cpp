// SPDX-License-Identifier: Apache-2.0
// Lays /dev/null over every descriptor, also those that are not its own.
// expect: exited|wrong-protocol|hung --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <fcntl.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int nothing = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 64; ++descriptor) dup2(nothing, descriptor);
  return hostile::answer(args);
}
