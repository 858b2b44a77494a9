// SPDX-License-Identifier: Apache-2.0
// Says that it takes at most minus three keys.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->limits = "max_keys=-3";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
