// SPDX-License-Identifier: Apache-2.0
// Answers once, wrongly, and refuses everything from then on: nobody shall look closer.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls > 1 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer_wrongly(args);
}
