// SPDX-License-Identifier: Apache-2.0
// A child sends a reply of its own over every descriptor that it inherits, while the parent waits.
// expect: wrong-protocol --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const pid_t child = fork();
  if (child == 0) {
    for (int descriptor = 3; descriptor < 64; ++descriptor) static_cast<void>(!write(descriptor, "passed", 6));
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return status;
}
