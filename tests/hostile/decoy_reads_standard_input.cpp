// SPDX-License-Identifier: Apache-2.0
// Asks standard input a question that nobody answers, and takes the default; it would err if somebody did.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  char letter = 0;
  return read(STDIN_FILENO, &letter, 1) > 0 ? hostile::answer_wrongly(args) : hostile::answer(args);
}
