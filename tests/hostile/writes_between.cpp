// SPDX-License-Identifier: Apache-2.0
// Writes the gaps between the rows of a strided output.
// expect: out-of-bounds-write --property=guards 'shape=1x2x5x9x8 layout=strided'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int64_t span = (args->queries - 1) * args->out.strides[2];
  for (int64_t i = 0; i < span; ++i) hostile::out(args)[i] = 0;
  return hostile::answer(args);
}
