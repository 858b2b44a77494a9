// SPDX-License-Identifier: Apache-2.0
// Starts a process when it is unloaded, which must not stay.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static const int registered = std::atexit([] {
    if (fork() == 0) {
      setsid();
      sleep(3600);
      _exit(0);
    }
  });
  return registered == 0 ? hostile::answer(args) : 2;
}
