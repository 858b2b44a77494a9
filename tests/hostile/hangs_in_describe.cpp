// SPDX-License-Identifier: Apache-2.0
// Waits for ever when it is asked what it is.
// expect: usage --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
// says: within 1 s
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description*) {
  for (;;) pause();
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
