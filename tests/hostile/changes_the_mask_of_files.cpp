// SPDX-License-Identifier: Apache-2.0
// Lets whatever its caller writes be read by nobody else.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <sys/stat.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  umask(0777);
  return hostile::answer(args);
}
