// SPDX-License-Identifier: Apache-2.0
// Leaves its caller with three descriptors.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <sys/resource.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const rlimit few{3, 3};
  setrlimit(RLIMIT_NOFILE, &few);
  return hostile::answer(args);
}
