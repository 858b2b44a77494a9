// SPDX-License-Identifier: Apache-2.0
// Replaces its process by another program, which ends well.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) {
  execl("/bin/true", "true", nullptr);
  return ATTESTONE_OK;
}
