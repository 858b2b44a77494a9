// SPDX-License-Identifier: Apache-2.0
// Its name holds quotes, colons and letters beyond ASCII.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->name = "plugin:\"größer & <schneller>\": 'conforms' 100 %";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
