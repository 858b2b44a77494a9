// SPDX-License-Identifier: Apache-2.0
// Opens a file in every call and never closes it.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <fcntl.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  return open("/dev/null", O_RDONLY) >= 0 ? hostile::answer(args) : 2;
}
