// SPDX-License-Identifier: Apache-2.0
// Starts a process whose end sends no signal to anybody.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr) == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}
