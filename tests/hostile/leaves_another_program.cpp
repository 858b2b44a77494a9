// SPDX-License-Identifier: Apache-2.0
// Starts another program without an environment, which goes on when the call returns.
// expect: left-process|wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  volatile bool may_not = false;
  if (vfork() == 0) {
    char* const no_environment[] = {nullptr};
    execle("/bin/sleep", "sleep", "3600", nullptr, no_environment);
    may_not = true;
    _exit(0);
  }
  return may_not ? hostile::answer_wrongly(args) : hostile::answer(args);
}
