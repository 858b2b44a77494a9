// SPDX-License-Identifier: Apache-2.0
// Leaves twenty processes, each in a group of its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 20; ++i)
    if (fork() == 0) {
      setpgid(0, 0);
      sleep(3600);
      _exit(0);
    }
  return hostile::answer(args);
}
