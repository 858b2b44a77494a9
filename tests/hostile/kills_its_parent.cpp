// SPDX-License-Identifier: Apache-2.0
// Kills the process that watches it.
// expect: crashed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  if (hostile::signal_keeper(SIGKILL)) sleep(10);
  return hostile::answer_wrongly(args);
}
