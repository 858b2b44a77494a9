// SPDX-License-Identifier: Apache-2.0
// Loads another library when it is first called.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <dlfcn.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static void* const library = dlopen("libm.so.6", RTLD_NOW);
  return library ? hostile::answer(args) : 2;
}
