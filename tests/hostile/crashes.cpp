// SPDX-License-Identifier: Apache-2.0
// Writes to an address that is nobody's.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(args->dim)) = 1;
  return ATTESTONE_OK;
}
