// SPDX-License-Identifier: Apache-2.0
// Closes every descriptor, also those that are not its own.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
  return hostile::answer(args);
}
