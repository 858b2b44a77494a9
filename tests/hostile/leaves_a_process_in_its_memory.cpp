// SPDX-License-Identifier: Apache-2.0
// Leaves a process that shares all memory, and writes the output when the call has returned.
// expect: left-process|late-write --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <sched.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  static char stack[1 << 16];
  const auto writes = [](void* out) {
    for (;;) {
      usleep(1000);
      *static_cast<volatile float*>(out) = 17;
    }
    return 0;
  };
  clone(writes, stack + sizeof stack, CLONE_VM | SIGCHLD, args->out.data);
  return status;
}
