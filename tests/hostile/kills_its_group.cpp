// SPDX-License-Identifier: Apache-2.0
// Kills every process of its group.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) {
  kill(0, SIGKILL);
  return ATTESTONE_OK;
}
