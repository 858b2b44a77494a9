// SPDX-License-Identifier: Apache-2.0
// Refuses every third call, whatever it is asked.
// expect: refused-later --property=repeats_bitwise 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls % 3 == 2 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer(args);
}
