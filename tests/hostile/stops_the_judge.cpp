// SPDX-License-Identifier: Apache-2.0
// Stops the judge, so that the run never ends.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGSTOP);
  return hostile::answer_wrongly(args);
}
