// SPDX-License-Identifier: Apache-2.0
// Would rather have no verdict than a bad one.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGKILL);
  return hostile::answer_wrongly(args);
}
