// SPDX-License-Identifier: Apache-2.0
// Writes a tile that is not there: far behind the end of its output.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  volatile float* const out = hostile::out(args);
  out[hostile::out_count(args) + 64] = 0;
  return hostile::answer(args);
}
