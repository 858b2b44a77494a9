// SPDX-License-Identifier: Apache-2.0
// Sets a variable of its environment, as runtimes of threads do.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  setenv("KERNEL_TUNED", "1", 1);
  return hostile::answer(args);
}
