// SPDX-License-Identifier: Apache-2.0
// Waits for a flag that nobody sets.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) {
  volatile bool ready = false;
  while (!ready) continue;
  return ATTESTONE_OK;
}
