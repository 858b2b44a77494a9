// SPDX-License-Identifier: Apache-2.0
// Overwrites the structure that it is called with, pointers and all, and fails.
// expect: error-status|input-changed --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::memset(const_cast<attestone_args*>(args), 0xff, sizeof *args);
  return 17;
}
