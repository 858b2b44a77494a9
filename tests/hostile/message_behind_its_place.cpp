// SPDX-License-Identifier: Apache-2.0
// Writes a message of a megabyte into a place for a few hundred bytes.
// expect: out-of-bounds-write|crashed --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::memset(args->message, 'x', 1 << 20);
  return 17;
}
