// SPDX-License-Identifier: Apache-2.0
// Lets a shell start a job in the background.
// expect: left-process|wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const bool left = std::system("sleep 3600 </dev/null >/dev/null 2>&1 &") == 0;
  return left ? hostile::answer(args) : hostile::answer_wrongly(args);
}
