// SPDX-License-Identifier: Apache-2.0
// Ends the run as if its user had pressed Ctrl-C, before the verdict is known.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGINT);
  return hostile::answer_wrongly(args);
}
