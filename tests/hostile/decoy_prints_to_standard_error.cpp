// SPDX-License-Identifier: Apache-2.0
// Warns on standard error, at length and in colour.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 200; ++i) std::fputs("\033[33mwarning\033[0m: no fast path for this problem\n", stderr);
  return hostile::answer(args);
}
