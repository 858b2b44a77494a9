// SPDX-License-Identifier: Apache-2.0
// Takes its caller to another directory.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(!chdir("/"));
  return hostile::answer(args);
}
