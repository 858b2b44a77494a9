// SPDX-License-Identifier: Apache-2.0
// Hangs when it is asked for the size of its workspace.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) {
  for (;;) pause();
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
