// SPDX-License-Identifier: Apache-2.0
// Its name is no UTF-8.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->name = "\xff\xfe tile \xc3 \xed\xa0\x80";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
