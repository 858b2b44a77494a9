// SPDX-License-Identifier: Apache-2.0
// Tells standard output what it does.
// expect: printed --property=value_bound 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::printf("queries: %d\n", static_cast<int>(args->queries));
  return hostile::answer(args);
}
