// SPDX-License-Identifier: Apache-2.0
// Never asks how its helper ended, which is over all the same.
// expect: conforms --property=value_bound,repeats_bitwise 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  return hostile::answer(args);
}
