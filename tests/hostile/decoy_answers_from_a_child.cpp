// SPDX-License-Identifier: Apache-2.0
// A child computes the answer into the shared pages of the output, and ends before the call does.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) _exit(hostile::answer(args));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
