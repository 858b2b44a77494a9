// SPDX-License-Identifier: Apache-2.0
// Says of the same limit two things.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->limits = "max_keys=4 max_keys=64";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
