// SPDX-License-Identifier: Apache-2.0
// Keeps 4 MB on the stack, which any caller's main thread has.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  volatile char frame[4 << 20];
  for (std::size_t at = 0; at < sizeof frame; at += 4096) frame[at] = 1;
  return frame[0] == 1 ? hostile::answer(args) : 2;
}
